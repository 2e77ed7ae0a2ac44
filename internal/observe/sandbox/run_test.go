package sandbox

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestErrorsNameTheLine: stores, joins, tables and functions are rewritten, and an error in one of them is still at
// the line where its author wrote it.
func TestErrorsNameTheLine(t *testing.T) {
	cases := map[string]struct{ reason, source, want string }{
		"Store":    {"a store into nothing", "local t = nil\n\nt.a = 1", "line:3: attempt to index a non-table object(nil) with key 'a'"},
		"Several":  {"one of several stores", "local t, u = {}, nil\nt.a,\nu.b = 1, 2", "line:2: attempt to index"},
		"Method":   {"a method of nothing", "local t = nil\nfunction t:f() end", "line:2: attempt to index"},
		"Join":     {"a join with nothing", "local a = nil\nreturn 'x' ..\n a", "line:2: cannot join a string and a nil"},
		"Table":    {"a field of nothing in a table", "local a = nil\nreturn {\n  b = a.c}", "line:3: attempt to index a non-table object(nil) with key 'c'"},
		"Function": {"what a function does", "local f = function()\n  error('mine')\nend\nf()", "line:2: mine"},
		"Late":     {"what goes wrong after such a call", "local t = {}\nt.a = {}\nt.a.b.c = 1", "line:3: attempt to index"},
		"Raised":   {"an error that is a table is told by what it is", "error({})", "table: "},
		"Lines":    {"an error of several lines is one", "error('a\\n  b\\tc', 0)", "a b c"},
		"Bytes":    {"what is no text is made one", "error('a\\255b', 0)", "a\uFFFDb"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, err := New(tc.source).Run(nil); err == nil || !strings.HasPrefix(err.Error(), tc.want) || strings.Contains(err.Error(), "stack traceback") {
				t.Errorf("%s: got %v, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestLongErrorsAreCut where a letter ends.
func TestLongErrorsAreCut(t *testing.T) {
	_, err := NewOpen(`error(obj, 0)`).Run(map[string]any{"obj": "x" + strings.Repeat("é", 5000)})
	if err == nil || len(err.Error()) > maxMessage+len("…") || !strings.HasSuffix(err.Error(), "é…") {
		t.Errorf("got %v", err)
	}
}

func TestSourcesThatAreNone(t *testing.T) {
	cases := map[string]struct{ reason, source, want string }{
		"Syntax":   {"what cannot be read is told with its place, in one line", "return {\n  a = = 1}", "line line:2"},
		"End":      {"also where something is missing", "if true then", "line at EOF"},
		"Label":    {"a jump to nowhere", "goto nowhere", "cannot compile the script: "},
		"Break":    {"an end of no loop", "break", "cannot compile the script: "},
		"Long":     {"more than anybody writes", "--" + strings.Repeat("x", maxSource), "the script has more than 256 KiB"},
		"Nested":   {"functions in one another", strings.Repeat("return function() ", maxNesting) + strings.Repeat("end ", maxNesting), "nested too deep"},
		"Register": {"more locals than the interpreter has room for", "local a" + strings.Repeat(", a", 300), "cannot compile the script: "},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := New(tc.source)
			err := p.Check()
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%s: got %v; want %q", tc.reason, err, tc.want)
			}
			if _, again := p.Run(nil); again == nil || again.Error() != err.Error() {
				t.Errorf("%s: it is run: %v", tc.reason, again)
			}
		})
	}
}

// TestDigestsAreOfWhatIsDone: results are kept by them.
func TestDigestsAreOfWhatIsDone(t *testing.T) {
	same, other, open := New("return 1").Digest(), New("return 2").Digest(), NewOpen("return 1").Digest()
	if same != New("return 1").Digest() || same == other || same == open {
		t.Errorf("of one script %s, of another %s, with more libraries %s", same, other, open)
	}
}

// TestFailuresLeaveNothing: what a run left half done is not there in the next one.
func TestFailuresLeaveNothing(t *testing.T) {
	next := NewOpen(`local ok = pcall(function() end) return {ok, left == nil, type(string.find)}`)
	for name, source := range map[string]string{
		"Raised": `left = 1 pcall(function() error("x") end) error("y")`,
		"Nested": `left = 1 local function f() pcall(f) error("deep") end f()`,
		"Limit":  `left = 1 local s = "x" while true do s = s .. s end`,
		"Result": `left = 1 return print`,
		"Values": `left = 1 return 1, 2, 3`,
	} {
		for range 3 {
			_, _ = NewOpen(source).Run(nil)
			got, err := next.Run(nil)
			if list, ok := got.([]any); err != nil || !ok || len(list) != 3 || list[0] != true || list[1] != true || list[2] != "function" {
				t.Errorf("after %s: got %v, %v", name, got, err)
			}
		}
	}
}

// TestRunsSideBySide: a program is of all objects of its kind, which are assessed at a time.
func TestRunsSideBySide(t *testing.T) {
	p := NewOpen(`n = obj for i = 1, 100 do n = n + 1 end return n`)
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			for range 20 {
				if got, err := p.Run(map[string]any{"obj": int64(i)}); err != nil || got != float64(i+100) {
					t.Errorf("of %d: got %v, %v", i, got, err)
				}
			}
		})
	}
	wait.Wait()
}

// TestFormatsThatAreRefused: Go's formats know more than Lua's, and write as much as a width says.
func TestFormatsThatAreRefused(t *testing.T) {
	const unknown = "a directive that is not known"
	cases := map[string]struct {
		reason, format string
		want           string
		refused        bool
	}{
		"Width":     {reason: "two digits of a width", format: "%99d", want: strings.Repeat(" ", 98) + "7"},
		"Wide":      {reason: "three are refused", format: "%100d", refused: true},
		"Precision": {reason: "two digits behind a point", format: "%.10d", want: "0000000007"},
		"Precise":   {reason: "three are refused, too", format: "%.100f", refused: true},
		"Star":      {reason: "a width that is an argument", format: "%*d", refused: true},
		"Value":     {reason: "a directive of Go", format: "%v", refused: true},
		"Type":      {reason: "one that tells Go's types", format: "%T", refused: true},
		"Index":     {reason: "arguments by number", format: "%[1]d", refused: true},
		"Nothing":   {reason: "none at the end", format: "7%", refused: true},
		"Percent":   {reason: "a sign of its own", format: "%d%%", want: "7%"},
		"Flags":     {reason: "flags of Lua", format: "%+05d", want: "+0007"},
		"Point":     {reason: "a point without digits", format: "%5.f", want: "    7"},
	}
	p := NewOpen(`return string.format(obj, 7)`)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := p.Run(map[string]any{"obj": tc.format})
			if tc.refused {
				if err == nil || !strings.Contains(err.Error(), unknown) {
					t.Errorf("%s: got %v, %v", tc.reason, got, err)
				}
				return
			}
			if err != nil || got != tc.want {
				t.Errorf("%s: got %v, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestTextsUpToTheBound: what is allowed is allowed up to its last byte, however it is made.
func TestTextsUpToTheBound(t *testing.T) {
	cases := map[string]struct{ reason, source string }{
		"Repeat":  {"repeated", `return #string.rep("x", obj)`},
		"Join":    {"joined", `return #(string.rep("x", obj - 1) .. "x")`},
		"Concat":  {"joined as a list", `return #table.concat({string.rep("x", obj - 1), "x"})`},
		"Replace": {"replaced", `return #(string.rep("x", obj - 1):gsub("^x", "xx"))`},
		"Number":  {"joined with a number", `return #(string.rep("x", obj - 2) .. 12)`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := NewOpen(tc.source)
			if got, err := p.Run(map[string]any{"obj": maxText}); err != nil || got != float64(maxText) {
				t.Errorf("%s: got %v, %v", tc.reason, got, err)
			}
			if got, err := p.Run(map[string]any{"obj": maxText + 1}); !errors.Is(err, errBudget) || !strings.Contains(err.Error(), "a text of more than 4 MiB") {
				t.Errorf("%s: got %v, %v for one byte more", tc.reason, got, err)
			}
		})
	}
}

// TestLibrariesThatDoNothing are there because scripts call them, and what is not says so.
func TestLibrariesThatDoNothing(t *testing.T) {
	for source, want := range map[string]string{
		`print("x") return "went on " .. select("#", collectgarbage("count"))`: "went on 0",
		`return type(require("string").find)`:                                  "function",
		`return require("io")`:                                                 `there is no library "io"`,
		`return require("_G")`:                                                 `there is no library "_G"`,
		`return os.date(string.rep("%c", 129))`:                                "the format is too long",
		`rawset({}, nil, 1)`:                                                   "the key is nil",
		`return ("x"):rep(2, ",") .. #("x"):rep(0)`:                            "xx0",
	} {
		got, err := NewOpen(source).Run(nil)
		if err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v; want %s", source, got, err, want)
		}
	}
}

// TestLongJoinsAreJoined: a chain is one call as far as there are registers, and goes on behind that.
func TestLongJoinsAreJoined(t *testing.T) {
	for _, links := range []int{2, maxArguments, maxArguments + 1, 3 * maxArguments} {
		var source, want strings.Builder
		source.WriteString("local function two() return 'a', 'b' end return ")
		for i := range links {
			source.WriteString(strconv.Itoa(i) + " .. ")
			want.WriteString(strconv.Itoa(i))
		}
		source.WriteString("two()")
		if got, err := New(source.String()).Run(nil); err != nil || got != want.String()+"a" {
			t.Errorf("of %d: got %v, %v", links, got, err)
		}
	}
}
