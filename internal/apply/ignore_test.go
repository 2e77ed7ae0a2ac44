package apply

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestExpressionsThatFailTellNoValues: what is told of them is a condition of
// the Application, for all who see that and not the object.
func TestExpressionsThatFailTellNoValues(t *testing.T) {
	live := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"key": "planted"}}}
	cases := map[string]struct {
		reason, kind, holder string
		want                 []string
	}{
		"Own":     {"the expression and the kind of failure are told", "ConfigMap", "", []string{"error(.data", "it calls error"}},
		"Secret":  {"of a Secret the expression is", "Secret", "", []string{"error(.data", "ignores nothing"}},
		"Another": {"of another application's object nothing is", "ConfigMap", "other", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(unheeded(t.Context(), live, &gitops.Action{
				Key: gitops.Key{Kind: tc.kind, Name: "a"}, Holder: tc.holder, Ignore: gitops.Ignore{JQ: []string{"error(.data | tostring)"}},
			}), "\n")
			if strings.Contains(got, "planted") || (got == "") != (tc.want == nil) {
				t.Errorf("%s: told is %q", tc.reason, got)
			}
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s: told is %q, want %q in it", tc.reason, got, want)
				}
			}
		})
	}
}
