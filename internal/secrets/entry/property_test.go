package entry

import (
	"errors"
	"testing"
)

// TestProperties has what people write for a property, and what strangers may.
func TestProperties(t *testing.T) {
	one := Text([]byte(`{"a":{"b":{"c":"deep"}},"l":[{"n":1,"v":"x"},{"n":2,"v":"y"}],"k.with":"dots","*":"star","é":"ü","":"empty","n":1e3,"f":0.10,"neg":-0,"t":"{\"in\":\"side\"}"}`))
	for property, tc := range map[string]struct {
		reason, want string
		gone         bool
	}{
		"a.b.c":       {"a path of names", "deep", false},
		"l.1.v":       {"an item by its number", "y", false},
		"l.#.v":       {"a field of all items", `["x","y"]`, false},
		"l.#(n>1).v":  {"an item by what it is", "y", false},
		"l.#(n>0)#.v": {"all such items", `["x","y"]`, false},
		`k\.with`:     {"a dot in a name", "dots", false},
		"é":           {"a name of another script", "ü", false},
		"t":           {"the text of an object", `{"in":"side"}`, false},
		"t.in":        {"a text is not looked into", "", true},
		"n":           {"a number with an exponent", "1000", false},
		"a.b|c":       {"a pipe for a dot", "deep", false},
		"{a.b.c,k:n}": {"an object that is made", `{"c":"deep","k":1e3}`, false},
		"a.b.@valid":  {"a modifier", `{"c":"deep"}`, false},
		"l.#(n==9).v": {"an item that there is not", "", true},
		"a.b.c.d":     {"a path into a text", "", true},
		"x":           {"a name that there is not", "", true},
		"l.#(":        {"a question that does not end", "", true},
		"a.@nope":     {"a modifier that there is not", "", true},
		"..":          {"dots alone", "", true},
	} {
		got, err := one.Value(property)
		if errors.Is(err, ErrNotFound) != tc.gone || err != nil && !tc.gone || string(got) != tc.want {
			t.Errorf("%s: %s: got %q, %v", property, tc.reason, got, err)
		}
	}
}

// FuzzProperties: no property of a stranger is a panic in what reads it, whatever the entry is.
func FuzzProperties(f *testing.F) {
	f.Add("a.b", `{"a":{"b":1}}`)
	f.Add("l.#(n==1)#|@reverse", `{"l":[{"n":1}]}`)
	f.Add("$..a[?(@.b)]", `{"a":[{"b":1}]}`)
	f.Fuzz(func(t *testing.T, property, text string) {
		if len(property) > 40 {
			return // what doubles texts is for a worker
		}
		for _, one := range []Entry{Text([]byte(text)), Object([]byte(text)), Fields(map[string][]byte{"a": []byte(text)}), Tags("n", map[string][]byte{"a": []byte(text)}), Answer([]byte(text), property)} {
			if got, err := one.Value(property); err != nil && got != nil {
				t.Errorf("an error, and the value %q", got)
			}
			if got, err := one.Map(property); err != nil && got != nil {
				t.Errorf("an error, and %d values", len(got))
			}
		}
	})
}
