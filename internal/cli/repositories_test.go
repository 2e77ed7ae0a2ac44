package cli

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// What applications use is listed as the page has it: a repository once, in
// whatever way its address is written, and charts with the registry they are in.
func TestRepositoriesThatAreUsed(t *testing.T) {
	views := map[string]*repositoryView{
		"https://git.example.com/shop":   {URL: "https://git.example.com/shop", Type: "git", Secret: "repo-shop"},
		"oci://registry.example.com/all": {URL: "oci://registry.example.com/all", Type: "oci", Secret: "repo-oci"},
	}
	known := placedOf(views)
	for _, url := range []string{"https://git.example.com/shop.git", "https://git.example.com/shop", "oci://registry.example.com/all/web", "https://me:hunter2@git.example.com/other", "https://git.example.com/other.git"} {
		known.use(&v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: url}}})
	}
	apps := map[string]int{}
	for _, url := range slices.Sorted(maps.Keys(views)) {
		apps[url] = views[url].Apps
	}
	want := map[string]int{"https://git.example.com/shop": 2, "oci://registry.example.com/all": 1, "https://me@git.example.com/other": 2}
	if d := cmp.Diff(want, apps); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
