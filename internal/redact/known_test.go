package redact

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestKnown(t *testing.T) {
	secret := gitops.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"password": "hunter2!", "word": "blue", "text": "correct-horse-battery"},
	}}}
	known := NewKnown([]string{"", `sword"<fish`, "sword"}, []gitops.Manifest{secret, {}})
	for name, tc := range map[string]struct {
		reason, text, want string
	}{
		"None":    {"nothing of it is known", "blue", "blue"},
		"Longest": {"of two that begin alike", `a sword"<fish, a sword`, "a [masked], a [masked]"},
		"Secret":  {"a value of a Secret", "is correct-horse-battery", "is [masked]"},
		"Base64":  {"in the form in which it is stored", "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5", "[masked]"},
		"Short":   {"a short one whose key says that it is secret", "hunter2!", "[masked]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := known.Text(tc.text); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			if within := known.Within(map[string]any{"list": []any{int64(1), tc.text}}); within != (tc.text != tc.want) {
				t.Errorf("%s: found within a value: %t", tc.reason, within)
			}
		})
	}
	if !known.Within(map[string]any{"sword": nil}) {
		t.Error("a key is not looked at")
	}
	if got := NewKnown(nil).Text("sword"); got != "sword" {
		t.Errorf("who knows nothing shows %q", got)
	}
}

// Values of Secrets are found in the forms in which others write them.
func TestKnownForms(t *testing.T) {
	secret := func(field string, data map[string]any) []gitops.Manifest {
		return []gitops.Manifest{{Object: secretWith(fields{field: data}, nil)}}
	}
	for name, tc := range map[string]struct {
		reason     string
		decrypted  []string
		manifests  []gitops.Manifest
		text, want string
	}{
		"Blanks":      {"without the line break at its end", nil, secret("stringData", fields{"a": "correct-horse-battery\n"}), "is correct-horse-battery.", "is [masked]."},
		"Break":       {"in base64 with one that it does not have", nil, secret("stringData", fields{"a": "correct-horse-battery"}), "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5Cg==", "[masked]"},
		"Quoted":      {"in JSON", nil, secret("stringData", fields{"a": "correct\"horse\nbattery"}), `{"x":"correct\"horse\nbattery"}`, `{"x":"[masked]"}`},
		"HTML":        {"in JSON of encoders that are careful with HTML", nil, secret("stringData", fields{"a": "correct&horse<battery>"}), `correct\u0026horse\u003cbattery\u003e`, "[masked]"},
		"Decrypted":   {"the same of what was decrypted", []string{"a&b"}, nil, `is a\u0026b or a&b`, "is [masked] or [masked]"},
		"No base64":   {"an API server quotes what it refuses", nil, secret("data", fields{"a": "correct horse battery!"}), "illegal: correct horse battery!", "illegal: [masked]"},
		"Word":        {"a short value under a key of no secret is a word", nil, secret("stringData", fields{"colour": "ultramarineblue"}), "ultramarineblue", "ultramarineblue"},
		"Short":       {"under a key of secrets it is one from eight bytes", nil, secret("stringData", fields{"password": "hunter2"}), "hunter2", "hunter2"},
		"Other kinds": {"a ConfigMap has no secrets", nil, []gitops.Manifest{{Object: configured("ConfigMap")}}, "password=swordfish", "password=swordfish"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NewKnown(tc.decrypted, tc.manifests).Text(tc.text); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestLinesOfKnownValues: a message may quote one line of a key; what is a word, or public,
// stays what it is.
func TestLinesOfKnownValues(t *testing.T) {
	const key, public = "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtL", "MIIBkTCB+wIJAKHHIG1wr7J2MA0GCSqGSIb3"
	value := "-----BEGIN EC PRIVATE KEY-----\r\n  " + key + "\r\n-----END EC PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----\n" + public + "\n-----END CERTIFICATE-----\n" +
		"a-setting-that-is-quite-long-and-no-secret\nhttps://Host1.example.com/some/quite/long/address\nAbcdef0123\n"
	known := NewKnown(nil, []gitops.Manifest{{Object: secretWith(map[string]any{"stringData": map[string]any{"bundle": value, "line": public}}, nil)}})
	for name, tc := range map[string]struct {
		reason, text string
		masked       bool
	}{
		"Key":         {"a line of a private key", "illegal base64 in " + key + " at 5", true},
		"Header":      {"what every key begins with", "-----BEGIN EC PRIVATE KEY-----", false},
		"Certificate": {"a certificate is public, unless somebody calls it a secret alone", public, true},
		"Word":        {"long words", "a-setting-that-is-quite-long-and-no-secret", false},
		"Address":     {"an address", "https://Host1.example.com/some/quite/long/address", false},
		"Short":       {"what may be anything", "Abcdef0123", false},
	} {
		if got := known.Text(tc.text); (got != tc.text) != tc.masked || tc.masked && strings.Contains(got, key) {
			t.Errorf("%s: %s: got %q", name, tc.reason, got)
		}
	}
	known = NewKnown(nil, []gitops.Manifest{{Object: secretWith(map[string]any{"stringData": map[string]any{"bundle": value}}, nil)}})
	if got := known.Text(public); got != public {
		t.Errorf("a line of a certificate: %q", got)
	}
}
