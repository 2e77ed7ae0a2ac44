package project

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestUnclaimed: the project default is there before anybody described it.
func TestUnclaimed(t *testing.T) {
	made := func(name string, repositories ...any) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
			"sourceRepos": repositories, "destinations": []any{map[string]any{"server": "*", "namespace": "*"}},
			"clusterResourceWhitelist": []any{map[string]any{"group": "*", "kind": "*"}},
		}}}
		o.SetName(name)
		return o
	}
	if !unclaimed(made("default", "*")) {
		t.Error("nobody could narrow it")
	}
	if unclaimed(made("default", "https://git.example.com/*")) {
		t.Error("somebody has narrowed it")
	}
	if unclaimed(made("team", "*")) {
		t.Error("another project is somebody's")
	}
}

// TestBare: a cluster refuses a project without a spec in the apply alone.
func TestBare(t *testing.T) {
	for name, tc := range map[string]struct {
		reason      string
		given, want any
	}{
		"None": {"it permits nothing, which is a project all the same", nil, map[string]any{}},
		"Some": {"what is said stays", map[string]any{"description": "x"}, map[string]any{"description": "x"}},
	} {
		o := &unstructured.Unstructured{Object: map[string]any{"kind": "AppProject"}}
		if tc.given != nil {
			o.Object["spec"] = tc.given
		}
		if err := Kind().Complete(nil, o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tc.want, o.Object["spec"]); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, tc.reason, diff)
		}
	}
}
