package app

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/source"
)

// looked are all ways to look at an Application, or to act for it.
func looked(i *inspect.Inspector, namespace string) map[string]func(context.Context, *v1alpha1.Application) error {
	settings, gvk := gitops.Key{Kind: "ConfigMap", Namespace: namespace, Name: "settings"}, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	return map[string]func(context.Context, *v1alpha1.Application) error{
		"Render": func(ctx context.Context, a *v1alpha1.Application) error { _, err := i.Render(ctx, a); return err },
		"RenderFor": func(ctx context.Context, a *v1alpha1.Application) error {
			_, err := i.RenderFor(ctx, a, gitops.Facts{KubeVersion: "1.36.0"})
			return err
		},
		"Values":  func(ctx context.Context, a *v1alpha1.Application) error { _, err := i.Values(ctx, a); return err },
		"Desired": func(ctx context.Context, a *v1alpha1.Application) error { _, err := i.Desired(ctx, a); return err },
		"Diff":    func(ctx context.Context, a *v1alpha1.Application) error { _, err := i.Diff(ctx, a); return err },
		"Tree":    func(ctx context.Context, a *v1alpha1.Application) error { _, err := i.Tree(ctx, a); return err },
		"Roots":   func(ctx context.Context, a *v1alpha1.Application) error { _, err := i.Roots(ctx, a); return err },
		"Cluster": func(ctx context.Context, a *v1alpha1.Application) error { _, err := i.Cluster(ctx, a); return err },
		"Orphans": func(ctx context.Context, a *v1alpha1.Application) error { _, _, err := i.Orphans(ctx, a); return err },
		"Object": func(ctx context.Context, a *v1alpha1.Application) error {
			_, err := i.Object(ctx, a, gvk, settings)
			return err
		},
		"Actions": func(ctx context.Context, a *v1alpha1.Application) error {
			_, err := i.Actions(ctx, a, gvk, settings)
			return err
		},
		"account": func(ctx context.Context, a *v1alpha1.Application) error {
			_, err := i.Account(ctx, a, namespace)
			return err
		},
		"Parameters": func(ctx context.Context, a *v1alpha1.Application) error {
			_, err := i.Explain().Parameters(ctx, a)
			return err
		},
	}
}

// TestLooksAskTheProject looks at Applications in each way there is, by what
// their projects say: repositories that belong to a project count as listed.
func TestLooksAskTheProject(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1})
	owned := "https://git.example.com/team/owned"
	e.make(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "owned", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository}},
		StringData: map[string]string{"url": owned, "project": "owner"},
	})
	e.project("owner", func(s *v1alpha1.AppProjectSpec) { s.SourceRepos = []string{repoURL} })
	e.project("stranger", func(s *v1alpha1.AppProjectSpec) { s.SourceRepos = []string{repoURL} })
	e.project("elsewhere", func(s *v1alpha1.AppProjectSpec) { s.Destinations[0].Namespace = "elsewhere" })
	app := e.app("plain", "plain", in("owner"))
	e.until("plain", "good", good)
	cfg := inspect.Config{Hub: e.hub, Namespace: e.namespace, Log: e.cfg.Log}
	cfg.Mirrors = []source.Mirror{{URL: repoURL, Path: e.folder}, {URL: owned, Path: e.folder}}
	i, err := inspect.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	of := func(repo string) func(*v1alpha1.Application) {
		return func(a *v1alpha1.Application) { a.Spec.Source.RepoURL = repo }
	}
	cases := map[string]struct {
		reason  string
		change  func(*v1alpha1.Application)
		project string
		says    string // empty where it is permitted
	}{
		"Listed":      {"all that it names is permitted", of(repoURL), "owner", ""},
		"Belongs":     {"the repository belongs to the project", of(owned), "owner", ""},
		"Another's":   {"it belongs to another project", of(owned), "stranger", "spec.sourceRepos"},
		"Destination": {"the project has no such destination", of(repoURL), "elsewhere", "spec.destinations"},
		"NotThere":    {"there is no such project", of(repoURL), "nowhere", "create it"},
	}
	for name, tc := range cases {
		changed := app.DeepCopy()
		tc.change(changed)
		changed.Spec.Project = tc.project
		for way, look := range looked(i, e.namespace) {
			err := look(t.Context(), changed)
			var p *gitops.Problem
			if tc.says == "" && err != nil || tc.says != "" && (!errors.As(err, &p) || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("%s: %s, where %s: %v", name, way, tc.reason, err)
			}
		}
	}
}

// TestWindowsOfAnotherProject: who names a project that does not know the
// Application's namespace is not told of its windows.
func TestWindowsOfAnotherProject(t *testing.T) {
	e := start(t, nil)
	e.project("theirs", func(s *v1alpha1.AppProjectSpec) { s.SourceNamespaces = []string{"theirs"} })
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "ours", Name: "app"}}
	app.Spec.Project = "theirs"
	var around api.Surroundings = e.inspect().Around()
	if s, err := around.Windows(t.Context(), app); err == nil || !strings.Contains(err.Error(), "spec.sourceNamespaces") {
		t.Errorf("it is told of %+v, %v", s, err)
	}
	app.Namespace = "theirs"
	if _, err := around.Windows(t.Context(), app); err != nil {
		t.Error(err)
	}
}
