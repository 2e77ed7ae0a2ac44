package preview_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestFilesByPathGlobs: where the repository says how an installation matches files, its
// sets are expanded so; a change of that shows what it makes of them.
func TestFilesByPathGlobs(t *testing.T) {
	set := strings.Replace(listSet("envs", "leaf", "x"), "generators: [{list: {elements: [{name: x}]}}]",
		"generators: [{git: {repoURL: '"+repoURL+"', revision: HEAD, files: [{path: 'envs/*.json'}]}}]", 1)
	c := newCheckout(t, treetest.Files{
		"set.yaml": set, "leaf/cm.yaml": configMap("leaf", "1"), "envs/one.json": `{"name": "one"}`, "envs/deep/two.json": `{"name": "two"}`,
	})
	state := c.expand()
	if diff := cmp.Diff([]string{"one", "two"}, appNames(state)); diff != "" {
		t.Errorf("Git's own patterns cross folders (-want +got):\n%s", diff)
	}
	c.change(treetest.Files{"params.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + v1alpha1.ParamsName + "}\ndata: {" + v1alpha1.ParamDoublestarFiles + ": 'true'}\n"})
	state = c.expand()
	if diff := cmp.Diff([]string{"one"}, appNames(state)); diff != "" {
		t.Errorf("a star stays within a folder (-want +got):\n%s", diff)
	}
	for _, s := range state.Sets {
		got, err := state.ExpandFor(t.Context(), s.ApplicationSet, []gitops.Cluster{{Name: "hub", Server: "https://hub.example.com"}})
		if err != nil || len(got.Applications) != 1 {
			t.Errorf("for other clusters: %+v, %v", got, err)
		}
	}
	if sum := c.preview().Summary; sum.Removed != 1 {
		t.Errorf("the preview tells %+v", sum)
	}
}
