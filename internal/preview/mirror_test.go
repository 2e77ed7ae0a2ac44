package preview_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/source"
)

// declaredOf declares an Application of a source, as it is written in YAML.
func declaredOf(of string) string {
	return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: ` + of + `
  destination: {name: dev, namespace: web}
`
}

// TestMirrorOfTheCheckoutItself: a mirror whose folder is, or lies in, what is
// looked at has two states like all of it. Read as it is now on both sides it
// would tell that nothing changes.
func TestMirrorOfTheCheckoutItself(t *testing.T) {
	const changed = "changed web on dev; changed ConfigMap/web data.key: 1 → 2"
	chart := func(dir, version, value string) treetest.Files {
		return treetest.Files{
			dir + "/Chart.yaml":       "apiVersion: v2\nname: web\nversion: " + version + "\n",
			dir + "/templates/c.yaml": configMap("web", value),
		}
	}
	cases := map[string]struct {
		reason, of  string
		url, folder string
		base, head  treetest.Files
		want        []string
	}{
		"Itself": {
			reason: "the repository itself, under an address that its remotes do not have",
			of:     "{repoURL: https://other.example.com/fleet, path: web, targetRevision: main}", url: "https://other.example.com/fleet", folder: ".",
			base: treetest.Files{"web/c.yaml": configMap("web", "1")}, head: treetest.Files{"web/c.yaml": configMap("web", "2")}, want: []string{changed},
		},
		"Prefix": {
			reason: "a folder of repositories",
			of:     "{repoURL: https://other.example.com/team/web, path: ., targetRevision: main}", url: "https://other.example.com/team", folder: "repos",
			base: treetest.Files{"repos/web/c.yaml": configMap("web", "1")}, head: treetest.Files{"repos/web/c.yaml": configMap("web", "2")}, want: []string{changed},
		},
		"Chart": {
			reason: "a folder of charts",
			of:     "{repoURL: https://charts.example.com, chart: web, targetRevision: 1.x}", url: "https://charts.example.com", folder: "charts",
			base: chart("charts/web", "1.0.0", "1"), head: chart("charts/web", "1.0.0", "2"), want: []string{changed},
		},
		"Registry": {
			reason: "charts of a registry",
			of:     "{repoURL: registry.example.com/charts, chart: web, targetRevision: 1.x}", url: "registry.example.com/charts", folder: "charts",
			base: chart("charts/web", "1.0.0", "1"), head: chart("charts/web", "1.0.0", "2"), want: []string{changed},
		},
		"Base": {
			reason: "a remote base of a kustomization",
			of:     "{repoURL: https://git.example.com/acme/fleet, path: web, targetRevision: HEAD}", url: "https://other.example.com/bases", folder: "bases",
			base: treetest.Files{"web/kustomization.yaml": "resources: ['https://other.example.com/bases//web?ref=main']\n", "bases/web/kustomization.yaml": "resources: [c.yaml]\n", "bases/web/c.yaml": configMap("web", "1")},
			head: treetest.Files{"bases/web/c.yaml": configMap("web", "2")}, want: []string{changed},
		},
		"Ignored": {
			reason: "a folder that Git ignores has but one state",
			of:     "{repoURL: https://charts.example.com, chart: web, targetRevision: 1.x}", url: "https://charts.example.com", folder: "vendor",
			base: with(chart("vendor/web", "1.0.0", "1"), treetest.Files{".gitignore": "vendor\n"}), head: treetest.Files{"README.md": "more"}, want: []string{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t, with(tc.base, treetest.Files{"app.yaml": declaredOf(tc.of)}))
			c.config.Mirrors = []source.Mirror{{URL: tc.url, Path: filepath.Join(c.dir, tc.folder)}}
			c.change(tc.head)
			for _, head := range []string{"HEAD", ""} {
				f := c.compare("HEAD~1", head)
				if diff := cmp.Diff(tc.want, told(f)); diff != "" || len(f.Failures)+len(f.Missing) > 0 {
					t.Errorf("%s, at %q: %s %v %v", tc.reason, head, diff, messages(f.Failures), f.Missing)
				}
			}
		})
	}
}

// Addresses of the mirrors of a repository and of its folder web.
const (
	wholeURL = "https://other.example.com/fleet"
	webURL   = "https://web.example.com"
)

// TestMirrorOfTheRepositoryByAnotherPath: however a mirror names the repository
// that is looked at, an edit that is not committed is a change of it.
func TestMirrorOfTheRepositoryByAnotherPath(t *testing.T) {
	whole, part := "{repoURL: "+wholeURL+", path: web, targetRevision: main}", "{repoURL: "+webURL+", path: ., targetRevision: main}"
	cases := map[string]struct{ reason, of, from, url, path string }{
		"Itself":       {"the work tree", whole, "main", wholeURL, "main"},
		"Git":          {"its .git, which git takes for the repository too", whole, "main", wholeURL, "main/.git"},
		"Link":         {"a link to its .git", whole, "main", wholeURL, "link"},
		"Other":        {"another of its work trees", whole, "main", wholeURL, "linked"},
		"OtherPart":    {"a folder of another of its work trees", part, "main", webURL, "linked/web"},
		"OtherLacks":   {"a folder that the other work tree has no more", part, "linked", webURL, "main/web"},
		"Linked":       {"a linked work tree itself", whole, "linked", wholeURL, "linked"},
		"LinkedMain":   {"the main work tree, seen from a linked one", whole, "linked", wholeURL, "main"},
		"LinkedGit":    {"the .git of the main work tree", whole, "linked", wholeURL, "main/.git"},
		"LinkedPrefix": {"a folder of repositories in which the main work tree is", strings.Replace(whole, "/fleet", "/main", 1), "linked", "https://other.example.com", "."},
	}
	for name, tc := range cases {
		for _, edited := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", name, edited), func(t *testing.T) {
				top, c := workTrees(t, tc.of, tc.from)
				c.config.Mirrors = []source.Mirror{{URL: tc.url, Path: filepath.Join(top, tc.path), WorkTree: edited}}
				if name == "OtherLacks" {
					writeFiles(t, filepath.Join(top, "main"), treetest.Files{"web/c.yaml": ""})
				}
				c.write(treetest.Files{"web/c.yaml": configMap("web", "2")})
				f := c.compare("HEAD", "")
				if diff := cmp.Diff([]string{"changed web on dev; changed ConfigMap/web data.key: 1 → 2"}, told(f)); diff != "" || len(f.Failures)+len(f.Missing)+len(f.Warnings) > 0 {
					t.Errorf("%s: %s %v %v %v", tc.reason, diff, messages(f.Failures), messages(f.Warnings), f.Missing)
				}
			})
		}
	}
}

// workTrees is a folder with two work trees of one repository, main and linked,
// and a link to its .git, looked at from one of the two.
func workTrees(t *testing.T, of, from string) (string, *checkout) {
	t.Helper()
	top := t.TempDir()
	c := &checkout{t: t, dir: filepath.Join(top, "main"), roster: clusters("hub", "dev")}
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c.git("init", "-q", "-b", "main")
	c.write(treetest.Files{"app.yaml": declaredOf(of), "web/c.yaml": configMap("web", "1")})
	c.commit()
	c.git("worktree", "add", "-q", "-b", "topic", filepath.Join(top, "linked"))
	if err := os.Symlink(filepath.Join(c.dir, ".git"), filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	c.dir = filepath.Join(top, from)
	c.config = offline.Config{Repo: c.dir, NoFetch: true, CacheDir: t.TempDir()}
	return top, c
}

// TestMirrorOfTheCheckoutAtATag: what a mirror says that the checkout is has
// the checkout's tags, and a change leaves those as they are.
func TestMirrorOfTheCheckoutAtATag(t *testing.T) {
	cases := map[string]struct{ reason, url, path string }{
		"Exact":  {"the address itself", wholeURL, "fleet"},
		"Git":    {"its .git", wholeURL, "fleet/.git"},
		"Prefix": {"a folder of repositories in which it is", "https://other.example.com", "."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t, treetest.Files{"app.yaml": declaredOf("{repoURL: " + wholeURL + ", path: web, targetRevision: v1}"), "web/c.yaml": configMap("web", "1")})
			c.git("tag", "v1")
			if err := os.Symlink(c.dir, filepath.Join(c.config.CacheDir, "fleet")); err != nil {
				t.Fatal(err)
			}
			c.config.Mirrors = []source.Mirror{{URL: tc.url, Path: filepath.Join(c.config.CacheDir, tc.path)}}
			c.change(treetest.Files{"web/c.yaml": configMap("web", "2")})
			for _, head := range []string{"HEAD", ""} {
				if f := c.compare("HEAD~1", head); len(f.Groups)+len(f.Failures)+len(f.Missing)+len(f.Warnings) > 0 {
					t.Errorf("%s, at %q: %v %v %v %v", tc.reason, head, told(f), messages(f.Failures), messages(f.Warnings), f.Missing)
				}
			}
		})
	}
}

// TestMirrorOfARepositoryInside: a checkout of its own that lies in the one
// that is looked at is no part of it.
func TestMirrorOfARepositoryInside(t *testing.T) {
	c := newCheckout(t, treetest.Files{"app.yaml": declaredOf("{repoURL: https://other.example.com/web, path: ., targetRevision: HEAD}"), ".gitignore": "inside\n"})
	inside := filepath.Join(c.dir, "inside")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	gitIn(t, inside, "init", "-q", "-b", "main")
	writeFiles(t, inside, treetest.Files{"c.yaml": configMap("web", "1")})
	gitIn(t, inside, "add", "-A")
	gitIn(t, inside, "commit", "-q", "-m", "one")
	c.config.Mirrors = []source.Mirror{{URL: "https://other.example.com/web", Path: inside}}
	c.change(treetest.Files{"README.md": "more"})
	if f := c.preview(); len(f.Groups)+len(f.Failures)+len(f.Missing) > 0 {
		t.Errorf("got %v, %s, %v", told(f), messages(f.Failures), f.Missing)
	}
}
