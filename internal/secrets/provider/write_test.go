package provider

import (
	"strings"
	"testing"
)

func TestReadMetadata(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, want, err string }{
		"nothing":  {"it may say nothing", "", "", ""},
		"null":     {"also in JSON", "null", "", ""},
		"plain":    {"as it stands", `{"type":"x"}`, "x", ""},
		"versions": {"as an object with a version", `{"apiVersion":"kubernetes.external-secrets.io/v1alpha1","kind":"PushSecretMetadata","spec":{"type":"x"}}`, "x", ""},
		"no spec":  {"which may be empty", `{"kind":"PushSecretMetadata"}`, "", ""},
		"unknown":  {"a field that would have no effect", `{"tpye":"x"}`, "", `does not know the field "tpye"`},
		"type":     {"a field that is something else shows nothing of it", `{"type":{"planted":1}}`, "", "of another type"},
		"text":     {"no object", `"planted"`, "", "it is no JSON object"},
	} {
		var got struct {
			Type string `json:"type"`
		}
		err := ReadMetadata([]byte(tc.text), &got)
		if got.Type != tc.want || (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "planted")) {
			t.Errorf("%s: %s: %q, %v", name, tc.reason, got.Type, err)
		}
	}
}

func TestObjects(t *testing.T) {
	one, err := Object([]byte(`{"n":12345678901234567890,"s":"<&>"}`))
	if err != nil {
		t.Fatal(err)
	}
	more := With(one, "p", []byte("v"))
	if text, err := Text(more); err != nil || string(text) != `{"n":12345678901234567890,"p":"v","s":"<&>"}` || len(one) != 2 {
		t.Errorf("it is %s of %v (%v)", text, one, err)
	}
	if Same(one, more) || !Same(one, With(one, "s", []byte("<&>"))) {
		t.Error("what is the same is not told from what is not")
	}
	for _, text := range []string{"", "null", "[]", "{} {}", `"x"`, "{"} {
		if _, err := Object([]byte(text)); err == nil {
			t.Errorf("%s is an object", text)
		}
	}
}
