package project

import (
	"testing"

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
