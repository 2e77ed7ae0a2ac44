package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestSecretsAreWantedAsTheyAreStored(t *testing.T) {
	key := gitops.Key{Kind: "Secret", Name: "x"}
	cases := map[string]struct {
		reason   string
		in, want map[string]any
	}{
		"folded":     {"stringData wins over data", map[string]any{"data": map[string]any{"a": "b2xk", "b": "Yg=="}, "stringData": map[string]any{"a": "new"}}, map[string]any{"data": map[string]any{"a": "bmV3", "b": "Yg=="}}},
		"alone":      {"data is made", map[string]any{"stringData": map[string]any{"a": "new"}}, map[string]any{"data": map[string]any{"a": "bmV3"}}},
		"empty":      {"nothing is left of nothing", map[string]any{"stringData": map[string]any{}}, map[string]any{}},
		"no text":    {"the API server refuses it", map[string]any{"stringData": map[string]any{"a": int64(1)}}, map[string]any{"stringData": map[string]any{"a": int64(1)}}},
		"other data": {"the API server refuses it", map[string]any{"data": "x", "stringData": map[string]any{"a": "b"}}, map[string]any{"data": "x", "stringData": map[string]any{"a": "b"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{Object: tc.in}
			if foldSecret(key, o); cmp.Diff(tc.want, o.Object) != "" {
				t.Errorf("%s: -want +got\n%s", tc.reason, cmp.Diff(tc.want, o.Object))
			}
		})
	}
}
