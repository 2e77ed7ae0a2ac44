package redact

import (
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
