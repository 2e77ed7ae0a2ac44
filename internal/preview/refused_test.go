package preview_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestManifestsThatTheEngineRefuses: what would be a ComparisonError once it is
// merged is a failure before, at its file and line, and no change.
func TestManifestsThatTheEngineRefuses(t *testing.T) {
	job := func(name, more string) string {
		return "# a comment\n---\napiVersion: batch/v1\nkind: Job\nmetadata: {" + name + more + "}\n"
	}
	cases := map[string]struct{ reason, app, text, want string }{
		"Path":      {"a name that leads elsewhere", "", job("name: ../../kube-system/configmaps/x", ""), "it may not contain '/'"},
		"Namespace": {"a namespace that does", "", job("name: a, namespace: ../x", ""), "the namespace"},
		"Empty":     {"no name", "", job("name: ''", ""), "without a name"},
		"Generated": {"a generated name of what is no hook", "", job("generateName: a-", ""), "only hooks may have generated names"},
		"Hub":       {"the hub's applications are told of, too", "hub", job("name: a/b", ""), "it may not contain '/'"},
		"Hook":      {"hooks may have generated names", "", job("generateName: a-", ", annotations: {argocd.argoproj.io/hook: PreSync}"), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t, treetest.Files{"web.yaml": application("web", "web", orDev(tc.app)), "web/cm.yaml": configMap("web", "1")})
			c.change(treetest.Files{"web/job.yaml": tc.text})
			for _, failures := range [][]forecast.Finding{c.preview().Failures, c.lint().Failures} {
				text := messages(failures)
				if (text == "") != (tc.want == "") || !strings.Contains(text, tc.want) {
					t.Fatalf("%s: %q", tc.reason, text)
				}
				if slices.ContainsFunc(failures, func(f forecast.Finding) bool { return f.File != "web/job.yaml" || f.Line != 3 }) {
					t.Errorf("%s: the place is %+v", tc.reason, failures)
				}
			}
			if f := c.preview(); tc.want != "" && len(f.Groups) > 0 {
				t.Errorf("%s: it is also told as a change: %v", tc.reason, told(f))
			}
		})
	}
}

func orDev(cluster string) string {
	if cluster == "" {
		return "dev"
	}
	return cluster
}

// TestExcludedKindsAreNotRefused: the settings of the installation count, where
// the repository has them.
func TestExcludedKindsAreNotRefused(t *testing.T) {
	c := newCheckout(t, treetest.Files{
		"web.yaml":    application("web", "web", "dev"),
		"cm.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm, namespace: argocd, labels: {app.kubernetes.io/part-of: argocd}}\ndata:\n  resource.exclusions: |\n    - {kinds: [Secret]}\n",
		"web/cm.yaml": configMap("web", "1"), "web/s.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: a/b}\n",
	})
	if r := c.lint(); len(r.Failures) > 0 {
		t.Errorf("a kind that the engine leaves alone is refused: %s", messages(r.Failures))
	}
}
