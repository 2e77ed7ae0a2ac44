package screen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/screen"
)

// hostile goes back, colours, fills the clipboard in two ways and turns the
// direction of writing; its last byte is no character.
const hostile = "a\r\x1b[2K\x1b[31mb\x1b]52;c;Y3VybA==\a\u009b31m\u202ec\xff"

func TestTexts(t *testing.T) {
	for name, c := range map[string]struct{ got, want string }{
		"Clean":        {screen.Clean("a\n\tb"), "a\n\tb"},
		"CleanHostile": {screen.Clean(hostile), "a��[2K�[31mb�]52;c;Y3VybA==��31m�c�"},
		"Line":         {screen.Line("a\n\tb\x1b"), "a  b�"},
		"Words":        {screen.Words(" a \n\tb\r\nc\x1b "), "a b c�"},
		"Others":       {screen.Clean("größer → 👩‍💻"), "größer → 👩‍💻"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", name, c.got, c.want)
		}
	}
}

// TestJSONIsTheSame for programs, and tells a terminal nothing.
func TestJSONIsTheSame(t *testing.T) {
	want := strings.ToValidUTF8(hostile, "�") + "\x7f##vso[task.prependpath]/evil"
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	safe := screen.JSON(string(text))
	if screen.Clean(strings.ReplaceAll(safe, "�", "")) != strings.ReplaceAll(safe, "�", "") {
		t.Errorf("a terminal follows %q", safe)
	}
	if followed(safe) {
		t.Errorf("a runner follows %q", safe)
	}
	got := ""
	if err := json.Unmarshal([]byte(safe), &got); err != nil || got != want {
		t.Errorf("got %q, want %q: %v", got, want, err)
	}
}

func TestWriter(t *testing.T) {
	const bold, end = "\x1b[1m", "\x1b[0m"
	for name, c := range map[string]struct {
		parts []string
		want  string
	}{
		"Plain":          {[]string{"a\n", "\tb"}, "a\n\tb"},
		"Own":            {[]string{bold + "title" + end + "\n"}, bold + "title" + end + "\n"},
		"OwnInParts":     {[]string{"x\x1b", "[", "1mtitle\x1b[0", "m"}, "x" + bold + "title" + end},
		"OthersInParts":  {[]string{"x\x1b", "[2", "K"}, "x�[2K"},
		"SignInParts":    {[]string{"gr\xc3", "\xb6\xc3", "\x9fer"}, "größer"},
		"Hostile":        {[]string{hostile}, "a��[2K�[31mb�]52;c;Y3VybA==��31m�c�"},
		"NothingFollows": {[]string{"a\x1b["}, "a�["},
		"NoSignFollows":  {[]string{"a\xc3"}, "a�"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w := screen.NewWriter(&out)
			w.Allow(bold, end, "")
			for _, part := range c.parts {
				if n, err := w.Write([]byte(part)); err != nil || n != len(part) {
					t.Fatalf("wrote %d: %v", n, err)
				}
			}
			if err := w.Flush(); err != nil || out.String() != c.want {
				t.Errorf("got %q, want %q: %v", out.String(), c.want, err)
			}
		})
	}
}

// followed reports whether a runner of jobs takes something of a text for a command.
func followed(text string) bool {
	return regexp.MustCompile(`(?m)^[\s\p{Z}\p{Cf}]*::|##[\p{L}\p{Cf}]{0,16}\[`).MatchString(text)
}

// TestCommandsOfRunners: what others wrote is no command to the program that runs
// a job, and stays readable.
func TestCommandsOfRunners(t *testing.T) {
	const bold = "\x1b[1m"
	for name, c := range map[string]struct {
		parts []string
		want  string
	}{
		"First":        {[]string{"::set-env name=A::b\n"}, ":�set-env name=A::b\n"},
		"Second":       {[]string{"Error: cluster Secret x\n::add-path::/evil\n"}, "Error: cluster Secret x\n:�add-path::/evil\n"},
		"Trimmed":      {[]string{"- a\n \t\u00a0\u2003::error::b"}, "- a\n \t\u00a0\u2003:�error::b"},
		"FormatSign":   {[]string{"\ufeff::error::b"}, "\ufeff:�error::b"},
		"InParts":      {[]string{"a\n", " :", ":error::b"}, "a\n :�error::b"},
		"Coloured":     {[]string{bold + "::error::b"}, bold + ":�error::b"},
		"Within":       {[]string{"Foo::Bar, a ::1, ::2\n"}, "Foo::Bar, a ::1, ::2\n"},
		"OneColon":     {[]string{": :\n:a::b\n"}, ": :\n:a::b\n"},
		"Azure":        {[]string{"+ a: ##vso[task.setvariable variable=A]b"}, "+ a: ##vso�task.setvariable variable=A]b"},
		"Group":        {[]string{"##[group]a ##", "team", "city[b"}, "##�group]a ##teamcity�b"},
		"MoreSigns":    {[]string{"####vso[a #a##vso[b ##a#[c ##a##[d"}, "####vso�a #a##vso�b ##a#[c ##a##�d"},
		"Heading":      {[]string{"## Heading [link](a) #[x] ##a [b] ##9[c"}, "## Heading [link](a) #[x] ##a [b] ##9[c"},
		"AfterCommand": {[]string{"##[a]##[b]::c\n::d"}, "##�a]##�b]::c\n:�d"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w := screen.NewWriter(&out)
			w.Allow(bold)
			for _, part := range c.parts {
				_, _ = w.Write([]byte(part))
			}
			if err := w.Flush(); err != nil || out.String() != c.want || followed(out.String()) {
				t.Errorf("got %q, want %q: %v", out.String(), c.want, err)
			}
		})
	}
}

// FuzzWriter writes in two parts what it writes in one, and nothing that a
// terminal follows but the program's own.
func FuzzWriter(f *testing.F) {
	f.Add(hostile, 3)
	f.Add("\x1b[1mtitle\x1b[0m", 2)
	f.Add("a\n \x1b[1m::add-path::/evil ##vso[task.prependpath]/evil", 5)
	f.Fuzz(func(t *testing.T, text string, at int) {
		const own = "\x1b[1m"
		write := func(parts ...string) string {
			var out bytes.Buffer
			w := screen.NewWriter(&out)
			w.Allow(own)
			for _, part := range parts {
				_, _ = w.Write([]byte(part))
			}
			_ = w.Flush()
			return out.String()
		}
		whole := write(text)
		if at >= 0 && at <= len(text) {
			if got := write(text[:at], text[at:]); got != whole {
				t.Errorf("in parts: %q, whole: %q", got, whole)
			}
		}
		if rest := strings.ReplaceAll(whole, own, ""); screen.Clean(rest) != rest {
			t.Errorf("a terminal follows %q", whole)
		} else if followed(rest) {
			t.Errorf("a runner follows %q", whole)
		}
	})
}

// full is an output that takes nothing, such as a pipe that nobody reads any more.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestAnOutputThatFailsIsTold: a command must not end well that printed nothing.
func TestAnOutputThatFailsIsTold(t *testing.T) {
	w := screen.NewWriter(full{})
	w.Allow("\x1b[1m")
	if n, err := w.Write([]byte("text\x1b[")); n != 0 || !errors.Is(err, errFull) {
		t.Errorf("wrote %d, %v", n, err)
	}
	if err := w.Flush(); !errors.Is(err, errFull) {
		t.Errorf("what was kept: %v", err)
	}
	var out bytes.Buffer
	if got := screen.Under(screen.NewWriter(&out)); got != &out {
		t.Error("what asks whether it is a terminal does not get the output")
	}
	if got := screen.Under(&out); got != &out {
		t.Error("an output that is none of these is not itself")
	}
}

// TestOneLineStaysOne: an error, a name or a message of others is a row of a table.
func TestOneLineStaysOne(t *testing.T) {
	for text, want := range map[string]string{
		"a\r\nb": "a� b", "a\vb\fc": "a�b�c", "a\u2028b": "a\u2028b", "a\u0085b": "a�b", "\u202eabc": "�abc", "a\u2066b\u2069": "a�b�", "\xc3": "�", "": "",
	} {
		if got := screen.Line(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
		if got := screen.Words(text); strings.ContainsAny(got, "\n\r\t") || strings.Contains(got, "  ") {
			t.Errorf("%q has the words %q", text, got)
		}
	}
}
