package forecast

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// What programs read: nothing is left out that has a meaning, and what is not there is
// not there. Only a value that is nothing is left away, and not one that is false.
func TestValuesThatAreLeftAway(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		want   string
	}{
		"False":    {"no is a value", Field{Path: "a", Old: false, New: true}, `{"path":"a","old":false,"new":true}`},
		"Nought":   {"nought is a value", Field{Path: "a", Old: int64(0), New: int64(1)}, `{"path":"a","old":0,"new":1}`},
		"Empty":    {"an empty text is a value", Field{Path: "a", Old: "", New: "x"}, `{"path":"a","old":"","new":"x"}`},
		"Nothing":  {"there was nothing", Field{Path: "a", New: []any{}}, `{"path":"a","new":[]}`},
		"Masked":   {"what is masked says so", Field{Path: "a", Old: "[masked]", New: "[masked]", Masked: true}, `{"path":"a","old":"[masked]","new":"[masked]","masked":true}`},
		"Known":    {"a finding says whether it is new, also when it is not", Finding{Reason: "R", Message: "m"}, `{"reason":"R","message":"m","new":false}`},
		"Missing":  {"so does a source", Missing{RepoURL: "r", Message: "m", Applications: []string{"a"}}, `{"repoURL":"r","message":"m","applications":["a"],"new":false}`},
		"Comes":    {"an image that comes had none before", Image{New: "a:1", Objects: []string{"Pod/a"}}, `{"new":"a:1","objects":["Pod/a"]}`},
		"NoCounts": {"counts are there when they are nought", Summary{}, `{"added":0,"removed":0,"changed":0,"unchanged":0,"unknown":0,"untold":0,"objects":{"added":0,"removed":0,"changed":0},"rendered":0,"reused":0}`},
		"Cluster":  {"where it goes is told of each application", Application{Name: "a"}, `{"namespace":"","name":"a","cluster":""}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(tc.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(text)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// YAML says what JSON says, in any reader: what looks like something else is quoted.
func TestYAMLMeansWhatJSONMeans(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		want   string
	}{
		"Words":    {"words that are switches in some readers", []any{"yes", "on", "n", "true", "null", "~"}, "- \"yes\"\n- \"on\"\n- \"n\"\n- \"true\"\n- \"null\"\n- \"~\"\n"},
		"Numbers":  {"texts that are numbers", []any{"1", "1e3", "0x1f", "012", "1.0", ".5"}, "- \"1\"\n- \"1e3\"\n- \"0x1f\"\n- \"012\"\n- \"1.0\"\n- \".5\"\n"},
		"Large":    {"a number keeps its digits", []any{int64(math.MaxInt64), int64(-1)}, "- 9223372036854775807\n- -1\n"},
		"Signs":    {"texts that begin like something else", []any{"- a", "a: b", "# c", "*a", "&a", "[a", "{a", "'a", "%a", "@a"}, "- '- a'\n- 'a: b'\n- '# c'\n- '*a'\n- '&a'\n- '[a'\n- '{a'\n- '''a'\n- '%a'\n- '@a'\n"},
		"Blanks":   {"blanks at the ends", []any{"", " a", "a ", "\t"}, "- \"\"\n- ' a'\n- 'a '\n- \"\\t\"\n"},
		"Lines":    {"lines stay lines", map[string]any{"a": "one\ntwo\n"}, "a: |\n  one\n  two\n"},
		"Order":    {"fields of objects are in order", map[string]any{"b": 1, "a": map[string]any{"d": nil, "c": false}}, "a:\n  c: false\n  d: null\nb: 1\n"},
		"Nothing":  {"nothing at all", nil, "null\n"},
		"Separate": {"a line that ends a document is in a text", map[string]any{"a": "x\n---\ny\n"}, "a: |\n  x\n  ---\n  y\n"},
		"Astral":   {"characters of all planes", []any{"é", "ж", "👍"}, "- é\n- ж\n- \"\\U0001F44D\"\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := YAML(tc.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(out)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			want, err := json.Marshal(tc.value)
			if err != nil {
				t.Fatal(err)
			}
			back, err := yaml.YAMLToJSON(out)
			if err != nil || !cmp.Equal(string(want), string(back)) {
				t.Errorf("%s: it comes back as %s, %v, and was %s", tc.reason, back, err, want)
			}
		})
	}
}

func TestWhatYAMLCannotHold(t *testing.T) {
	if out, err := YAML(map[string]any{"a": math.NaN()}); err == nil || !strings.HasPrefix(err.Error(), "cannot write a value as YAML: ") {
		t.Errorf("what is no number of JSON is written as %q: %v", out, err)
	}
	out, err := YAML(map[string]any{"key\u0085": "x\xff"})
	if err != nil || bytes.ContainsRune(out, 0x85) {
		t.Errorf("a key and a broken text are written as %q, %v", out, err)
	}
}

// Another reader than the one that is in use, of a newer YAML, reads the same: people give what
// is printed to other programs. A text stays one whatever it looks like, also as a key.
func TestOtherReadersReadTheSame(t *testing.T) {
	cases := map[string]struct {
		reason string
		texts  []string
	}{
		"Numbers": {"numbers of either YAML", []string{"0o17", "0b1", "1_000", "+1", "-.5", "0x_1", "1e3", "1.0e+3", "012", "190:20:30", ".inf", "-.INF", ".nan", "NaN"}},
		"Days":    {"days and times", []string{"2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43Z", "21:59"}},
		"Words":   {"words with a meaning", []string{"y", "N", "Yes", "off", "TRUE", "Null", "~", "=", "<<<", "null", "!!str a", "? a", "- "}},
		"Lines":   {"lines that begin or end with something", []string{"\n", "\na", " a\nb", "a\n\n", "a\n b\n", "a \n", "\ta\nb", "a\r\nb", "a\u2028b", "---\na", "a\n...\n"}},
		"Signs":   {"signs that end or begin something", []string{"a: b", "a:", ": a", "a #b", "#", "{a", "[a]", "'", "\"", "a'b\"c", "\\", "%a", "@a", "`a", "|", ">-", "&a", "*a"}},
		"Odd":     {"characters that cannot be seen", []string{"\u00a0", "\u0085", "\ufeff", "\x00", "\x7f", "\u200b", "\U0001F44D", "\uffff", "\ue000"}},
		"Long":    {"long ones, which readers may fold", []string{strings.Repeat("a b ", 100), strings.Repeat("k", 200), strings.Repeat("x\n", 100)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, text := range tc.texts {
				want := map[string]any{text: text, "list": []any{text, map[string]any{"below": text}}}
				out, err := YAML(want)
				if err != nil {
					t.Fatal(err)
				}
				var got map[string]any
				if err := yamlv3.Unmarshal(out, &got); err != nil {
					t.Errorf("%s: %q is written as %q: %v", tc.reason, text, out, err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %q is written as %q (-want +got):\n%s", tc.reason, text, out, diff)
				}
			}
		})
	}
}
