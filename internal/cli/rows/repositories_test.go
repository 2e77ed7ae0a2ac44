package rows

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// What applications use is listed as the page has it: a repository once, in
// whatever way its address is written, and charts with the registry they are in.
func TestRepositoriesThatAreUsed(t *testing.T) {
	views := map[string]*Repository{
		"https://git.example.com/shop":   {URL: "https://git.example.com/shop", Type: "git", Secret: "repo-shop"},
		"oci://registry.example.com/all": {URL: "oci://registry.example.com/all", Type: "oci", Secret: "repo-oci"},
	}
	known := placedOf(views)
	for _, url := range []string{"https://git.example.com/shop.git", "https://git.example.com/shop", "oci://registry.example.com/all/web", "https://me:hunter2@git.example.com/other", "https://git.example.com/other.git", "https://hunter2@git.example.com/third", "https://git.example.com/fourth?token=hunter2"} {
		known.use(&v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: url}}})
	}
	apps := map[string]int{}
	for _, view := range views {
		apps[view.URL] = view.Apps
	}
	want := map[string]int{"https://git.example.com/shop": 2, "oci://registry.example.com/all": 1, "https://git.example.com/other": 2, "https://git.example.com/third": 1, "https://git.example.com/fourth": 1}
	if d := cmp.Diff(want, apps); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A Secret may have a token where others have a user, or in a query.
func TestRepositoriesTellNoToken(t *testing.T) {
	for written, want := range map[string]string{
		"https://hunter2@github.com/o/r":         "https://github.com/o/r",
		"https://host/o/r?private_token=hunter2": "https://host/o/r",
		"git@github.com:o/r":                     "git@github.com:o/r",
	} {
		view := repositoryOf(&corev1.Secret{Data: map[string][]byte{"url": []byte(written)}})
		if view.URL != want {
			t.Errorf("%s is shown as %s", written, view.URL)
		}
	}
}
