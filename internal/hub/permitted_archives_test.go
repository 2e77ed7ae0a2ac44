package hub

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestArchives is about what the rules of a project say of archives that an
// index names elsewhere on its host.
func TestArchives(t *testing.T) {
	const file = "https://charts.example.com/files/blue/web-1.0.0.tgz"
	for name, c := range map[string]struct {
		reason, file   string
		repos          []string
		permits, fails bool
	}{
		"Index":       {"the repository of the index is not the archive's", file, []string{"https://charts.example.com/red"}, false, false},
		"Address":     {"its own address", file, []string{file}, true, false},
		"Folder":      {"the folder that it lies in", file, []string{"https://charts.example.com/files/blue"}, true, false},
		"Above":       {"a repository that has many folders", file, []string{"https://charts.example.com/files"}, true, false},
		"Pattern":     {"all of a folder", file, []string{"https://charts.example.com/files/blue/*"}, true, false},
		"Everything":  {"as everything", file, []string{"*"}, true, false},
		"Root":        {"a repository at the root is no word on what lies deeper", file, []string{"https://charts.example.com", "https://charts.example.com/red"}, false, false},
		"InRoot":      {"but on what lies in it", "https://charts.example.com/web.tgz", []string{"https://charts.example.com/"}, true, false},
		"Query":       {"a query chooses among what is permitted", file + "?token=x", []string{"https://charts.example.com/files/blue"}, true, false},
		"Denied":      {"what is denied is an error", file, []string{"*", "!https://charts.example.com/files/blue"}, false, true},
		"Nothing":     {"nothing", file, nil, false, false},
		"Deep":        {"of more folders than can be asked about none may be denied", "https://charts.example.com/files/blue/" + strings.Repeat("x/", deepest) + "web.tgz", []string{"https://charts.example.com/files/blue"}, false, true},
		"Deep denied": {"nor does it get around what is denied", "https://charts.example.com/files/blue/" + strings.Repeat("x/", deepest) + "web.tgz", []string{"*", "!https://charts.example.com/files/blue"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := archivesOf(&v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SourceRepos: c.repos}})
			if err != nil {
				t.Fatal(err)
			}
			if permits, err := a.Permits(c.file); permits != c.permits || (err != nil) != c.fails {
				t.Errorf("%s: got %t, %v", c.reason, permits, err)
			}
		})
	}
}

// TestAdmits is about the repositories that a Git server sends on to: they are
// permitted as those that are written.
func TestAdmits(t *testing.T) {
	const moved = "https://git.example.com/blue/shop"
	for name, c := range map[string]struct {
		reason, repo  string
		repos         []string
		admits, fails bool
	}{
		"Old":     {"the old address is no word on the new one", moved, []string{"https://git.example.com/red/shop"}, false, false},
		"Address": {"its own address", moved + ".git", []string{moved}, true, false},
		"Folder":  {"a folder is another repository", moved, []string{"https://git.example.com/blue"}, false, false},
		"Pattern": {"all of a folder", moved, []string{"https://git.example.com/blue/*"}, true, false},
		"Denied":  {"what is denied is an error", moved, []string{"*", "!https://git.example.com/blue/*"}, false, true},
		"Nothing": {"nothing", moved, nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := archivesOf(&v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SourceRepos: c.repos}})
			if err != nil {
				t.Fatal(err)
			}
			if admits, err := a.Admits(gitops.SourceRef{RepoURL: c.repo}); admits != c.admits || (err != nil) != c.fails {
				t.Errorf("%s: got %t, %v", c.reason, admits, err)
			}
		})
	}
}
