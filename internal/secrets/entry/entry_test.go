package entry

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const database = `{"host":"db.example","password":"p<&>w","port":5432,"serial":12345678901234567890,"none":null,"on":true,` +
	`"a.b":"dotted","inner":{"x": "y"},"list":[{"id":"x","v":"1"},{"id":"y","v":"2"}]}`

func TestValue(t *testing.T) {
	several := Fields(map[string][]byte{"tls.crt": []byte("cert"), "config": []byte(`{"a":{"b":"c"}}`), "blob": {0, 255, 254}, "words": []byte("no JSON")})
	for name, tc := range map[string]struct {
		reason   string
		entry    Entry
		property string
		want     string
		err      error
	}{
		"text":             {"an entry is a value as it is", Text([]byte("s3cret\n")), "", "s3cret\n", nil},
		"text binary":      {"also when it is no text", Text([]byte{0, 255}), "", "\x00\xff", nil},
		"text empty":       {"and when it is nothing", Text(nil), "", "", nil},
		"text field":       {"a property is a path", Text([]byte(database)), "host", "db.example", nil},
		"text inner":       {"into what is inside", Text([]byte(database)), "inner.x", "y", nil},
		"text object":      {"an object is as it is written", Text([]byte(database)), "inner", `{"x": "y"}`, nil},
		"text digits":      {"a whole number keeps its digits", Text([]byte(database)), "serial", "12345678901234567890", nil},
		"text null":        {"null is there, and nothing", Text([]byte(database)), "none", "", nil},
		"text boolean":     {"a boolean is a word", Text([]byte(database)), "on", "true", nil},
		"text query":       {"a path may ask", Text([]byte(database)), `list.#(id=="y").v`, "2", nil},
		"text escaped":     {"a dot may be a part of a name", Text([]byte(database)), `a\.b`, "dotted", nil},
		"text count":       {"a list has a length", Text([]byte(database)), "list.#", "2", nil},
		"text absent":      {"of a text, a property that there is not is an entry that is gone", Text([]byte(database)), "nope", "", ErrNotFound},
		"text beyond":      {"an item that there is not", Text([]byte(database)), "list.7", "", ErrNotFound},
		"object":           {"an object as it is", Object([]byte(database)), "", database, nil},
		"object field":     {"a field without quotes", Object([]byte(database)), "password", "p<&>w", nil},
		"object dotted":    {"a field's name comes before a path", Object([]byte(database)), "a.b", "dotted", nil},
		"object path":      {"a path where there is no such field", Object([]byte(database)), "list.0.v", "1", nil},
		"object below":     {"names may have dots below a field", Object([]byte(`{"a":{"b.c/d":"e"}}`)), "a.b.c/d", "e", nil},
		"object quoted":    {"but a text is not looked into", Object([]byte(`{"a":"{\"b.c\":\"e\"}"}`)), "a.b.c", "", errNoProperty},
		"object absent":    {"a field that there is not is no entry that is gone", Object([]byte(database)), "nope", "", errNoProperty},
		"fields":           {"a value by its name", several, "tls.crt", "cert", nil},
		"fields binary":    {"whose bytes stay", several, "blob", "\x00\xff\xfe", nil},
		"fields inner":     {"a name and a path", several, "config.a.b", "c", nil},
		"fields absent":    {"a name that there is not", several, "nope", "", errNoProperty},
		"fields deep":      {"a path into a name that there is not", several, "nope.x", "", errNoProperty},
		"fields all":       {"all of them are an object", Fields(map[string][]byte{"b": []byte("2"), "a": []byte("1")}), "", `{"a":"1","b":"2"}`, nil},
		"fields none":      {"no fields are an object too", Fields(nil), "", `{}`, nil},
		"answer":           {"an answer as it is", Answer([]byte("<b>"), ""), "ignored", "<b>", nil},
		"answer path":      {"what a JSONPath leads to", Answer([]byte(`{"a":{"b":"c"}}`), "$.a.b"), "", "c", nil},
		"answer filter":    {"of several the first", Answer([]byte(database), `$.list[?(@.id=="y")].v`), "", "2", nil},
		"answer fraction":  {"fractions are rounded to whole numbers", Answer([]byte(`{"a":2.5}`), "$.a"), "", "2", nil},
		"answer object":    {"an object is JSON", Answer([]byte(`{"a":{"b":[1]}}`), "$.a"), "", `{"b":[1]}`, nil},
		"answer null":      {"null is nothing", Answer([]byte(`{"a":null}`), "$.a"), "", "", nil},
		"answer no filter": {"a filter that finds nothing is no value", Answer([]byte(database), `$.list[?(@.id=="z")].v`), "", "", errAny},
		"answer absent":    {"a field that there is not", Answer([]byte(`{}`), "$.a"), "", "", errAny},
		"answer HTML":      {"a page is no JSON", Answer([]byte("<html>hunter22</html>"), "$.a"), "", "", errAny},
		"answer half":      {"half an answer is none", Answer([]byte(`{"a":"hunter22`), "$.a"), "", "", errAny},
		"answer no path":   {"a path that is none", Answer([]byte(`{}`), "$[["), "", "", errAny},
		"unknown":          {"a form that another version has", Entry{Form: "tree"}, "", "", errAny},
		"zero":             {"an entry that is none", Entry{}, "x", "", errAny},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.entry.Value(tc.property)
			refuse(t, tc.reason, err, tc.err)
			if string(got) != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// errAny is an error that is not ErrNotFound: a store that answers nonsense still has the entry.
var errAny = errors.New("any")

func refuse(t *testing.T, reason string, err, want error) {
	t.Helper()
	switch {
	case want == nil && err != nil, want != nil && err == nil:
		t.Fatalf("%s: got the error %v, want %v", reason, err, want)
	case err != nil && errors.Is(err, ErrNotFound) != errors.Is(want, ErrNotFound):
		t.Errorf("%s: got %v: is it that there is no such entry? want %v", reason, err, want)
	case errors.Is(want, errNoProperty) && !errors.Is(err, want):
		t.Errorf("%s: got %v, want %v", reason, err, want)
	case err != nil && strings.Contains(err.Error(), "hunter"):
		t.Errorf("%s: the error quotes a value: %v", reason, err)
	}
}

func TestMap(t *testing.T) {
	config := Fields(map[string][]byte{"config": []byte(`{"a":{"b":"c"}}`), "blob": {255}, "words": []byte("hunter22")})
	for name, tc := range map[string]struct {
		reason   string
		entry    Entry
		property string
		want     map[string]string
		err      error
	}{
		"text":            {"the fields of an object", Text([]byte(`{"a":"b","n":1.50,"l":[1]}`)), "", map[string]string{"a": "b", "n": "1.50", "l": "[1]"}, nil},
		"text inner":      {"the fields of one inside", Text([]byte(database)), "inner", map[string]string{"x": "y"}, nil},
		"text absent":     {"a property that there is not", Text([]byte(database)), "nope", nil, ErrNotFound},
		"text words":      {"words have no fields", Text([]byte("hunter22")), "", nil, errAny},
		"text scalar":     {"nor has a text inside", Text([]byte(database)), "host", nil, errAny},
		"text empty":      {"nor has nothing", Text(nil), "", nil, errAny},
		"object":          {"the fields of an object", Object([]byte(`{"a":{"b":"c"}}`)), "", map[string]string{"a": `{"b":"c"}`}, nil},
		"object inner":    {"of a field that is an object", Object([]byte(`{"a":{"b":"c"}}`)), "a", map[string]string{"b": "c"}, nil},
		"object text":     {"of a field that is the text of one", Object([]byte(`{"a":"{\"b\":\"c\"}"}`)), "a", map[string]string{"b": "c"}, nil},
		"object words":    {"words inside have no fields", Object([]byte(`{"a":"hunter22"}`)), "a", nil, errAny},
		"object absent":   {"a field that there is not is no entry that is gone", Object([]byte(`{"a":"b"}`)), "x", nil, errNoProperty},
		"fields":          {"all of them, as they are", config, "", map[string]string{"config": `{"a":{"b":"c"}}`, "blob": "\xff", "words": "hunter22"}, nil},
		"fields inner":    {"those of one that is an object", config, "config", map[string]string{"a": `{"b":"c"}`}, nil},
		"fields deep":     {"of an object inside it", config, "config.a", map[string]string{"b": "c"}, nil},
		"fields words":    {"words have none", config, "words", nil, errAny},
		"fields absent":   {"a name that there is not", config, "nope", nil, errNoProperty},
		"answer":          {"the fields of an answer", Answer([]byte(`{"a":"b","n":5}`), ""), "", map[string]string{"a": "b", "n": "5"}, nil},
		"answer path":     {"of what a path leads to", Answer([]byte(`{"d":{"a":"b"}}`), "$.d"), "", map[string]string{"a": "b"}, nil},
		"answer text":     {"which may be the text of an object", Answer([]byte(`{"d":"{\"a\":\"b\"}"}`), "$.d"), "", map[string]string{"a": "b"}, nil},
		"answer list":     {"a list has none", Answer([]byte(`{"d":[1]}`), "$.d"), "", nil, errAny},
		"answer null":     {"null has none", Answer([]byte(`{"d":null}`), "$.d"), "", nil, errAny},
		"answer boolean":  {"a boolean has none", Answer([]byte(`{"d":true}`), "$.d"), "", nil, errAny},
		"answer number":   {"a number has none", Answer([]byte(`{"d":1}`), "$.d"), "", nil, errAny},
		"answer no JSON":  {"a text that is no JSON has none", Answer([]byte(`{"d":"hunter22"}`), "$.d"), "", nil, errAny},
		"answer in text":  {"nor has the text of a text", Answer([]byte(`{"d":"\"hunter22\""}`), "$.d"), "", nil, errAny},
		"answer no answr": {"nor has nothing", Answer(nil, ""), "", nil, errAny},
		"unknown":         {"a form that another version has", Entry{Form: "tree"}, "", nil, errAny},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.entry.Map(tc.property)
			refuse(t, tc.reason, err, tc.err)
			if err != nil {
				return
			}
			texts := map[string]string{}
			for key, value := range got {
				texts[key] = string(value)
			}
			if diff := cmp.Diff(tc.want, texts); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFieldsAreNotShared: what one reader does to fields is not seen by the next.
func TestFieldsAreNotShared(t *testing.T) {
	one := Fields(map[string][]byte{"a": []byte("b")})
	got, err := one.Map("")
	if err != nil {
		t.Fatal(err)
	}
	delete(got, "a")
	if _, err := one.Value("a"); err != nil {
		t.Errorf("a key is gone that somebody else deleted: %v", err)
	}
}
