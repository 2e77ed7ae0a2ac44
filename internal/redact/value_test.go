package redact

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestMasker(t *testing.T) {
	secret := gitops.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"},
		"stringData": map[string]any{"config": "correct-horse-battery-staple"},
	}}}
	m := NewMasker(NewKnown([]string{"swordfish"}, []gitops.Manifest{secret}))
	cases := map[string]struct {
		reason string
		path   []string
		value  any
		hidden string
	}{
		"Key":      {"the key says that it is one", []string{"db", "password"}, "hunter2!", "hunter2!"},
		"Env":      {"a name beside a value", []string{"extraEnv"}, []any{map[string]any{"name": "DB_PASSWORD", "value": "hunter2!"}}, "hunter2!"},
		"Rendered": {"what ends in a Secret", []string{"server", "text"}, "x: correct-horse-battery-staple", "correct-horse"},
		"URL":      {"a password in an address", []string{"dsn"}, "postgres://user:hunter2!@db/x", "hunter2!"},
		"Hidden":   {"what was decrypted", []string{"annotation"}, "is swordfish", "swordfish"},
		"Deep":     {"lists of values", []string{"tokens"}, []any{"hunter2!"}, "hunter2!"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := fmt.Sprint(m.Value(tc.path, tc.value)); strings.Contains(got, tc.hidden) {
				t.Errorf("%s: %s", tc.reason, got)
			}
		})
	}
	if got := m.Value([]string{"replicas"}, int64(3)); got != int64(3) {
		t.Errorf("a plain value is %v", got)
	}
}

func TestOpaque(t *testing.T) {
	for _, v := range []any{"text", int64(7), 0.5, []any{"a"}, map[string]any{"a": "b"}} {
		if got := Opaque().Value([]string{"endpoint"}, v); got != Mask {
			t.Errorf("of %v it shows %v", v, got)
		}
	}
	for _, v := range []any{nil, true} {
		if got := Opaque().Value([]string{"enabled"}, v); got != v {
			t.Errorf("%v is no secret: %v", v, got)
		}
	}
}
