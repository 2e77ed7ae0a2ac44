package value

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// binary has each byte that there is.
var binary = func() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}()

func TestDecode(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		strategy esv1.DecodingStrategy
		encoded  string
		want     string
		wrong    bool
	}{
		"empty":      {"no strategy keeps a value", "", "aGk=", "aGk=", false},
		"none":       {"None as well", esv1.DecodeNone, "aGk=", "aGk=", false},
		"base64":     {"the standard alphabet", esv1.DecodeBase64, "aGk/", "hi?", false},
		"url":        {"the alphabet of URLs", esv1.DecodeBase64URL, "aGk_", "hi?", false},
		"auto":       {"Auto reads the one", esv1.DecodeAuto, "aGk/", "hi?", false},
		"autoURL":    {"and the other", esv1.DecodeAuto, "aGk_", "hi?", false},
		"autoKept":   {"and keeps what is neither", esv1.DecodeAuto, "hi there", "hi there", false},
		"lines":      {"ends of lines are no part of base64", esv1.DecodeBase64, "aG\nk=\n", "hi", false},
		"nothing":    {"nothing is nothing", esv1.DecodeBase64, "", "", false},
		"mixed":      {"the alphabet of URLs is not the standard one", esv1.DecodeBase64, "aGk_", "", true},
		"unpadded":   {"base64 wants padding", esv1.DecodeBase64, "aGk", "", true},
		"words":      {"words are no base64", esv1.DecodeBase64URL, "hunter22!", "", true},
		"half":       {"a value that breaks off", esv1.DecodeBase64, "aGkhaGkhaGkha", "", true},
		"autoBroken": {"Auto keeps what breaks off", esv1.DecodeAuto, "aGkha", "aGkha", false},
		"strategy":   {"a strategy that there is not", "Hex", "6869", "", true},
		"binary":     {"bytes that are no text", esv1.DecodeBase64, base64.StdEncoding.EncodeToString(binary), string(binary), false},
		"large":      {"a megabyte", esv1.DecodeAuto, base64.StdEncoding.EncodeToString(bytes.Repeat(binary, 4096)), strings.Repeat(string(binary), 4096), false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Decode(tc.strategy, []byte(tc.encoded))
			if (err != nil) != tc.wrong || err == nil && string(got) != tc.want {
				t.Errorf("%s: got %d bytes, %v", tc.reason, len(got), err)
			}
			if err != nil && strings.Contains(err.Error(), tc.encoded) {
				t.Errorf("%s: the error quotes the value: %v", tc.reason, err)
			}
		})
	}
}

func TestDecodeAll(t *testing.T) {
	given := map[string][]byte{"a": []byte("aGk="), "b": []byte("aG8=")}
	got, err := DecodeAll(esv1.DecodeBase64, given)
	if diff := cmp.Diff(map[string][]byte{"a": []byte("hi"), "b": []byte("ho")}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if string(given["a"]) != "aGk=" {
		t.Errorf("what was given became %q", given["a"])
	}
	given["b"], given["c"] = []byte("hunter22!"), []byte("hunter33!")
	if _, err := DecodeAll(esv1.DecodeBase64, given); err == nil || !strings.Contains(err.Error(), `"b"`) || strings.Contains(err.Error(), "hunter") {
		t.Errorf("got %v, want an error that names the key and no value", err)
	}
}

func TestBytes(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		in     any
		want   string
	}{
		"null":     {"null is nothing", nil, ""},
		"text":     {"a text has no quotes", `a"b`, `a"b`},
		"bytes":    {"bytes are as they are", []byte{0, 255}, "\x00\xff"},
		"whole":    {"a number has no zeros at its end", 5432.0, "5432"},
		"large":    {"nor an exponent", 1e21, "1000000000000000000000"},
		"fraction": {"a fraction stays one", 0.25, "0.25"},
		"negative": {"a sign stays", -1.5, "-1.5"},
		"digits":   {"a number that was kept keeps its digits", json.Number("1.00"), "1.00"},
		"true":     {"booleans are words", true, "true"},
		"list":     {"a list is JSON", []any{"a", 1.0}, `["a",1]`},
		"object":   {"an object is JSON, by its keys", map[string]any{"b": nil, "a": true}, `{"a":true,"b":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Bytes(tc.in)
			if err != nil || string(got) != tc.want {
				t.Errorf("%s: got %q, %v; want %q", tc.reason, got, err, tc.want)
			}
			if field, err := OfField(map[string]any{"x": tc.in}, "x"); err != nil || !bytes.Equal(field, got) {
				t.Errorf("%s: as a field it is %q, %v", tc.reason, field, err)
			}
		})
	}
	if _, err := OfField(map[string]any{"x": 1}, "y"); err == nil || !strings.Contains(err.Error(), "y") {
		t.Errorf("a field that there is not: %v", err)
	}
}

func TestFields(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		object string
		want   map[string]string
	}{
		"texts":   {"texts have no quotes", `{"a":"b\"c\u00e9"}`, map[string]string{"a": `b"cé`}},
		"numbers": {"large numbers keep their digits", `{"a":12345678901234567890,"b":1.50}`, map[string]string{"a": "12345678901234567890", "b": "1.50"}},
		"null":    {"null is nothing", `{"a":null}`, map[string]string{"a": ""}},
		"nested":  {"objects are as they are written", `{"a":{"z": 1, "b":"<&>"}}`, map[string]string{"a": `{"z": 1, "b":"<&>"}`}},
		"empty":   {"no fields are no error", `{}`, map[string]string{}},
		"nothing": {"neither is null", `null`, map[string]string{}},
		"twice":   {"of a field that is there twice the later counts", `{"a":"1","a":"2"}`, map[string]string{"a": "2"}},
		"key":     {"any text is a name", `{"":"x","a b":"y"}`, map[string]string{"": "x", "a b": "y"}},
		"blank":   {"space around it", " \n{\"a\":\"b\"}\t", map[string]string{"a": "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Fields([]byte(tc.object))
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
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
	for name, text := range map[string]string{
		"text": `"hunter22"`, "list": `["hunter22"]`, "number": "12345678", "words": "hunter22", "half": `{"a":"hunter22`, "HTML": "<html>hunter22", "behind": `{"a":1}hunter22`,
		"empty": "", "binary": "\xff\xfehunter22",
	} {
		t.Run("no object: "+name, func(t *testing.T) {
			if got, err := Fields([]byte(text)); err == nil || strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "1234") {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
