package bounded

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	yamlv3 "go.yaml.in/yaml/v3"
)

// distinct is a mapping of so many keys.
func distinct(n int) string {
	var b strings.Builder
	b.WriteString("{")
	for i := range n {
		fmt.Fprintf(&b, "k%d,", i)
	}
	return b.String() + "}"
}

// pairs are texts that cost the decoder the square of what they have.
var pairs = map[string]struct{ reason, text, want string }{
	"Same":          {"one key often", "x:\n- {" + strings.Repeat("a,", 1000) + "}\n", `line 2: the key "a" stands in its mapping already, first at line 2`},
	"Lines":         {"one key on many lines", strings.Repeat("a:\n", 1000), `line 1000: the key "a" stands in its mapping already, first at line 1`},
	"Long":          {"a long key twice", "{" + strings.Repeat(strings.Repeat("a", mostAgain)+",", 2) + "}", "already"},
	"Twins":         {"many keys twice", distinct(2000)[:len(distinct(2000))-1] + distinct(2000)[1:], `the key "k`},
	"Mappings":      {"keys that are no texts", "{" + strings.Repeat("? {},", 1000) + "}", "already"},
	"Aliases":       {"keys that stand for one", "x: &x a\ny: {" + strings.Repeat("*x :,", 1000) + "}", "already"},
	"Distinct":      {"many keys", "a: 1\nb:\n  " + distinct(mostKeys+1), "line 3: a mapping has more than 5000 keys"},
	"Several":       {"fewer keys in several mappings", "[" + strings.Repeat(distinct(mostKeys/2)+",", 5) + "]", "12500000 pairs of keys"},
	"Repeated":      {"fewer keys that are repeated", "a: &a " + distinct(mostKeys/2) + "\nb: [" + strings.Repeat("*a,", 5) + "]\n", "12500000 pairs of keys"},
	"Merged":        {"fewer keys that are merged", "a: &a " + distinct(mostKeys/2) + "\nb: {<<: [" + strings.Repeat("*a,", 5) + "]}\n", "12500000 pairs of keys"},
	"Repeated same": {"a few equal keys that are repeated", "a: &a {" + strings.Repeat("a,", 20) + "}\nb: [" + strings.Repeat("*a,", 100) + "]\n", `the key "a"`},
	"Itself":        {"an alias of what it is in", "a: &a {b: *a}\n", "an alias of itself"},
}

func TestKeysAreBounded(t *testing.T) {
	for name, tc := range pairs {
		t.Run(name, func(t *testing.T) {
			var doc yamlv3.Node
			if err := yamlv3.Unmarshal([]byte(tc.text), &doc); err != nil {
				t.Fatal(err)
			}
			for way, read := range map[string]func(any) error{
				"text":     func(into any) error { return Decode([]byte(tc.text), into) },
				"strictly": func(into any) error { return DecodeStrict([]byte(tc.text), into) },
				"node":     func(into any) error { return DecodeNode(&doc, into) },
			} {
				var v any
				err := read(&v)
				if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 1000 || v != nil {
					t.Errorf("%s, %s: %.2000v", tc.reason, way, err)
				}
			}
		})
	}
}

// TestDecode reads what the library reads, and as it does.
func TestDecode(t *testing.T) {
	type own struct {
		A string `yaml:"a"`
	}
	for name, tc := range map[string]struct{ reason, text string }{
		"Nothing":     {"no document", ""},
		"Comment":     {"no document either", "# a\n"},
		"Null":        {"a document of nothing", "null\n"},
		"Merge":       {"keys of another mapping", "x: &x {a: 1, b: 2}\ny: &y {a: 3}\na: x\nz: {<<: [*x, *y], c: 4}\nw: {<<: *x, a: 5}\n"},
		"Aliases":     {"a value again", "x: &x [1, {a: b}]\ny: *x\nz: [*x, *x]\n"},
		"Key":         {"a key by an alias", "x: &x a\n*x : y\n"},
		"Two nothing": {"keys that differ in writing alone", "{~: 1, null: 2, a: b}"},
		"Documents":   {"the first of two", "a: b\n---\na: c\n"},
		"Twice":       {"a key twice", "a: b\na: c\n"},
		"Twice below": {"a key twice where the library does not look", "a: b\nx: {c: 1, c: 2}\n"},
		"Merge twice": {"a merge key is a key", "x: &x {a: 1}\n<<: *x\n<<: *x\n"},
		"Long text":   {"a text that is no list", "a: |\n" + strings.Repeat("  {a,a,a,\n", 1000)},
		"Largest":     {"as many keys as are read", "a: b\nx: " + distinct(mostKeys/2)},
		"Other type":  {"no text", "a: [1]\n"},
		"Broken":      {"no YAML", "a: [\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var got, want any
			err, theirs := Decode([]byte(tc.text), &got), yamlv3.Unmarshal([]byte(tc.text), &want)
			if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(theirs) {
				t.Errorf("%s: %v, not %v\n%s", tc.reason, err, theirs, diff)
			}
			var one, other own
			err, theirs = Decode([]byte(tc.text), &one), yamlv3.Unmarshal([]byte(tc.text), &other)
			if one != other || fmt.Sprint(err) != fmt.Sprint(theirs) {
				t.Errorf("%s, as a type: %v, %v, not %v, %v", tc.reason, one, err, other, theirs)
			}
		})
	}
}

func TestDecodeStrict(t *testing.T) {
	var v struct {
		A string `yaml:"a"`
	}
	if err := errors.Join(DecodeStrict([]byte("a: b\n"), &v), DecodeStrict(nil, &v)); err != nil || v.A != "b" {
		t.Errorf("got %q, %v", v.A, err)
	}
	var typed *yamlv3.TypeError
	if err := DecodeStrict([]byte("a: b\nc: d\n"), &v); !errors.As(err, &typed) || !strings.Contains(err.Error(), "line 2: field c not found") {
		t.Errorf("a field that is not known: %v", err)
	}
}

// Who reads one document is not told of what stands behind it: a rule or a
// cluster that is written there would be passed over in silence.
func TestStrictReadersTakeOneDocument(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, says string }{
		"One":      {"one document", "a: b\n", ""},
		"Started":  {"its beginning may be marked", "%YAML 1.1\n# whose\n---\na: b\n", ""},
		"Marked":   {"its end, too", "a: b\n---\n", ""},
		"Ended":    {"or in full", "a: b\n...\n# the end\n", ""},
		"Twice":    {"also twice", "a: b\n---\n---\n# none\n", ""},
		"JSON":     {"JSON is a document", `{"a": "b"}` + "\n", ""},
		"Mark":     {"a mark inside of a text is none", "a: |\n  b\n  ---\n  a: c\n", ""},
		"Second":   {"another document", "a: b\n---\n\na: c\n", "line 4: another document begins, and one is read: have all of it in one document"},
		"Later":    {"behind one that is empty", "a: b\n---\n---\na: c\n", "line 4: another document begins"},
		"First":    {"an empty one is the first", "---\n---\na: c\n", "line 3: another document begins"},
		"Ends":     {"behind an end in full", "a: b\n...\n---\na: c\n", "line 4: another document begins"},
		"Text":     {"or a word", "{a: b}\n--- c\n", "line 2: another document begins"},
		"Objects":  {"JSON behind JSON is no document", "{\"a\": \"b\"}\n{\"a\": \"c\"}\n", "what follows its first document cannot be read (line 1: did not find expected <document start>): have all of it in one document"},
		"Broken":   {"what is broken there is not read either", "a: b\n---\na: [\n", "what follows its first document cannot be read (line"},
		"Broken 1": {"a broken first document is told as such", "a: [\n---\na: c\n", "did not find expected"},
	} {
		t.Run(name, func(t *testing.T) {
			for way, read := range map[string]func([]byte, any) error{"Decode": DecodeStrict, "Unmarshal": UnmarshalStrict} {
				var got struct {
					A string `json:"a" yaml:"a"`
				}
				err := read([]byte(tc.text), &got)
				if tc.says == "" && (err != nil || !strings.HasPrefix(got.A, "b")) {
					t.Errorf("%s: %s: got %q, %v", way, tc.reason, got.A, err)
				}
				if tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
					t.Errorf("%s: %s: got %v", way, tc.reason, err)
				}
			}
		})
	}
}

// An alias may stand outside of the part that is read.
func TestDecodeNode(t *testing.T) {
	var parts struct {
		B yamlv3.Node `yaml:"b"`
	}
	if err := Decode([]byte("a: &a {c: d}\nb: [*a, *a]\n"), &parts); err != nil {
		t.Fatal(err)
	}
	var got []map[string]string
	if err := DecodeNode(&parts.B, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]map[string]string{{"c": "d"}, {"c": "d"}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestBrief: a broken text is told of in a few lines, whatever it says.
func TestBrief(t *testing.T) {
	long := strings.Repeat("ä", 10_000)
	for name, text := range map[string]string{
		"Types":   "[" + strings.Repeat("[],", 1000) + "]",
		"Fields":  "[{" + long + ": 1}]",
		"Anchor":  "[*" + strings.Repeat("a", 10_000) + "]",
		"Anchor2": "[&b a, *b, *" + strings.Repeat("a", 10_000) + "]",
		"Many":    strings.ReplaceAll(distinct(1000), "k", long[:10]+"k"),
	} {
		var v []struct {
			A string `yaml:"a"`
		}
		err := DecodeStrict([]byte(text), &v)
		if err == nil || len(err.Error()) > 2*longest*(mostTold+1) {
			t.Errorf("%s: %.100v", name, err)
		}
	}
	err := brief(&yamlv3.TypeError{Errors: make([]string, mostTold+5)})
	if typed := (*yamlv3.TypeError)(nil); !errors.As(err, &typed) || typed.Errors[mostTold] != "and 5 more" {
		t.Errorf("got %v", err)
	}
}

// FuzzDecode reads as the library does what it reads at all.
func FuzzDecode(f *testing.F) {
	for _, tc := range pairs {
		f.Add([]byte(tc.text))
	}
	f.Add([]byte("a: &a {b: 1}\nc: {<<: *a}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1000 {
			return // the library would take its time
		}
		var got, want any
		err, theirs := Decode(text, &got), yamlv3.Unmarshal(text, &want)
		if err == nil && (theirs != nil || fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want)) {
			t.Errorf("%q: %v, not %v, %v", text, got, want, theirs)
		}
	})
}
