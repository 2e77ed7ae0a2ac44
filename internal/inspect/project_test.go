package inspect

import (
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/source"
)

// governed is a hub that has projects alone; one of the name away cannot be read.
type governed struct {
	client.Client

	projects map[string]v1alpha1.AppProjectSpec
}

func (g governed) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	spec, there := g.projects[key.Name]
	switch {
	case key.Name == "away":
		return errors.New("the hub is away")
	case !there:
		return apierrors.NewNotFound(schema.GroupResource{Resource: "appprojects"}, key.Name)
	}
	p := into.(*v1alpha1.AppProject)
	p.Namespace, p.Name, p.Spec = key.Namespace, key.Name, spec
	return nil
}

const shopRepo, devServer = "https://git.example.com/shop", "https://127.0.0.1:1/dev"

// governing looks at a hub with project shop, which permits one repository, namespace
// shop of cluster dev, and Applications in namespace team.
func governing(t *testing.T) *Inspector {
	t.Helper()
	f, err := fleet.New(fleet.Options{Hub: &rest.Config{Host: "https://127.0.0.1:1"}, Namespace: "argocd", Convert: observe.New().Live})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	if err := f.Set(t.Context(), gitops.Cluster{Name: "dev", Server: devServer, Secret: "dev"}, &rest.Config{Host: devServer}); err != nil {
		t.Fatal(err)
	}
	return &Inspector{
		cfg: Config{Namespace: "argocd"}, fleet: f, settings: &hub.Settings{}, creds: hub.NewCredentials(&source.Credentials{}),
		client: governed{projects: map[string]v1alpha1.AppProjectSpec{"shop": {
			SourceRepos: []string{shopRepo}, SourceNamespaces: []string{"team"},
			Destinations: []v1alpha1.ApplicationDestination{{Name: "dev", Namespace: "shop"}},
		}}},
	}
}

// Who may write an Application names in it what they like: what is read for it, and of
// what, is what its project permits, whichever way it is asked for.
func TestProjectsGovernWhatIsLookedAt(t *testing.T) {
	i := governing(t)
	for name, tc := range map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		// admitted: all of it may be looked at; reads: its sources may be; leads: its
		// destination may be; says is why it is not admitted.
		admitted, reads, leads bool
		says                   string
	}{
		"Permitted":   {"all of it", func(*v1alpha1.Application) {}, true, true, true, ""},
		"Team":        {"a namespace that the project names", func(a *v1alpha1.Application) { a.Namespace = "team" }, true, true, true, ""},
		"Source":      {"a repository that it does not permit", func(a *v1alpha1.Application) { a.Spec.Source.RepoURL = "https://git.example.com/bank" }, false, false, true, "git.example.com/bank"},
		"Destination": {"a namespace of the cluster that it does not", func(a *v1alpha1.Application) { a.Spec.Destination.Namespace = "bank" }, false, true, false, "bank"},
		"Cluster":     {"a cluster that nobody knows", func(a *v1alpha1.Application) { a.Spec.Destination.Name = "prod" }, false, true, false, "prod"},
		"Namespace":   {"an Application where the project has none", func(a *v1alpha1.Application) { a.Namespace = "bank" }, false, false, false, "bank"},
		"No project":  {"a project that is not there permits nothing", func(a *v1alpha1.Application) { a.Spec.Project = "none" }, false, false, false, `cannot find AppProject "none"`},
		"Not known":   {"nor does one that cannot be read", func(a *v1alpha1.Application) { a.Spec.Project = "away" }, false, false, false, "the hub is away"},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{
				Project: "shop", Source: &v1alpha1.ApplicationSource{RepoURL: shopRepo, Path: "."}, Destination: v1alpha1.ApplicationDestination{Name: "dev", Namespace: "shop"},
			}}
			app.Namespace, app.Name = "argocd", "web"
			tc.change(app)
			_, err := i.admit(t.Context(), app)
			if (err == nil) != tc.admitted || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: it is admitted: %v", tc.reason, err)
			}
			if got := i.Reads(t.Context(), app); got != tc.reads {
				t.Errorf("%s: its sources may be read: %t", tc.reason, got)
			}
			cluster, permitted := i.Leads(t.Context(), app)
			if leads := permitted && cluster == "dev"; leads != tc.leads || !permitted && cluster != "" {
				t.Errorf("%s: it leads to %q: %t", tc.reason, cluster, permitted)
			}
			for what, err := range map[string]error{"its cluster": second(i.Cluster(t.Context(), app)), "what the server may see": second(i.Admitted(t.Context(), app))} {
				if (err == nil) != tc.admitted {
					t.Errorf("%s: %s is told: %v", tc.reason, what, err)
				}
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// Windows are the project's, and told to the Applications that it has: also to one whose
// source or destination it does not permit.
func TestWindowsOfGovernedApplications(t *testing.T) {
	around := governing(t).Around()
	for namespace, told := range map[string]bool{"argocd": true, "team": true, "bank": false} {
		app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: "shop"}}
		app.Namespace, app.Name = namespace, "web"
		if got, err := around.Windows(t.Context(), app); (err == nil) != told || told && got.Project != "shop" {
			t.Errorf("of namespace %s: %+v, %v", namespace, got, err)
		}
	}
}

// Applications of whose project nothing is known are not called permitted or not: the
// whole answer fails.
func TestPermittedApplications(t *testing.T) {
	i := governing(t)
	app := func(name, project, namespace string) v1alpha1.Application {
		a := v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: project, Destination: v1alpha1.ApplicationDestination{Server: devServer, Namespace: namespace}}}
		a.Namespace, a.Name = "argocd", name
		return a
	}
	got, err := i.Permitted(t.Context(), []v1alpha1.Application{app("a", "shop", "bank"), app("b", "shop", "shop"), app("c", "none", "shop")})
	if err != nil || len(got) != 1 || got[0].Name != "b" {
		t.Errorf("permitted are %v, %v", got, err)
	}
	if got, err := i.Permitted(t.Context(), []v1alpha1.Application{app("b", "shop", "shop"), app("d", "away", "shop")}); err == nil || got != nil {
		t.Errorf("while nobody knows, permitted are %v", got)
	}
}

// Clusters that do not answer hold up none of the others, and each is named.
func TestFactsOfARosterName(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	errs := governing(t).allFacts(ended, []roster.Cluster{{Cluster: gitops.Cluster{Name: "gone", Server: "https://gone"}}, {Cluster: gitops.Cluster{Name: "dev", Server: devServer}}})
	if len(errs) != 2 || !strings.HasPrefix(errs[0].Error(), "cluster gone: ") || !strings.HasPrefix(errs[1].Error(), "cluster dev: ") {
		t.Errorf("it is told %v", errs)
	}
}
