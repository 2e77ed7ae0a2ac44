package preview_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

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
