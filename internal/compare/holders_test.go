package compare

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestLetsGo is about which objects are free for others of those that bear an
// application's tracking id.
func TestLetsGo(t *testing.T) {
	key := gitops.Key{Group: "batch", Kind: "Job", Namespace: "shop", Name: "migrate"}
	cases := map[string]struct {
		reason   string
		tracking string
		status   v1alpha1.ResourceStatus
		want     bool
	}{
		"Has":      {"it is in the sources", "blue", v1alpha1.ResourceStatus{}, false},
		"LeftOut":  {"it was taken out of them", "blue", v1alpha1.ResourceStatus{RequiresPruning: true}, true},
		"Hook":     {"what a hook left is the application's, although it is in no state of it", "blue", v1alpha1.ResourceStatus{Hook: true, RequiresPruning: true}, false},
		"Becoming": {"so is what a person is asked about before it becomes a hook", "blue", v1alpha1.ResourceStatus{Hook: true, RequiresPruning: true, RequiresDeletionConfirmation: true}, false},
		"Copy":     {"a hook with an id that is not its own says nothing", "blue", v1alpha1.ResourceStatus{Hook: true}, false},
		"Gone":     {"there is no such application", "green", v1alpha1.ResourceStatus{}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "blue"}}
			tc.status.Group, tc.status.Kind, tc.status.Namespace, tc.status.Name = key.Group, key.Kind, key.Namespace, key.Name
			app.Status.Resources = []v1alpha1.ResourceStatus{tc.status}
			c := &Comparer[Cluster]{Namespace: "argocd", Apps: known{apps: []*v1alpha1.Application{&app}}}
			if got := c.LetsGo(t.Context(), tc.tracking, key); got != tc.want {
				t.Errorf("%s: free %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

// TestTaken is about what another Application has, and not only says that it has.
func TestTaken(t *testing.T) {
	key := keyOf("red", "a")
	cases := map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		want   bool
	}{
		"Has":       {"its sources have it", func(*v1alpha1.Application) {}, true},
		"Itself":    {"it is the one that asks", func(app *v1alpha1.Application) { app.UID = "web" }, false},
		"Goes":      {"it is being deleted", func(app *v1alpha1.Application) { now := metav1.Now(); app.DeletionTimestamp = &now }, false},
		"LeftOut":   {"it has taken it out of them", func(app *v1alpha1.Application) { app.Status.Resources[0].RequiresPruning = true }, false},
		"Hook":      {"a hook is in no state of its", func(app *v1alpha1.Application) { app.Status.Resources[0].Hook = true }, false},
		"Unknown":   {"its project is not there", func(app *v1alpha1.Application) { app.Spec.Project = "none" }, false},
		"Forbidden": {"its project does not permit it the object", func(app *v1alpha1.Application) { app.Spec.Project = "blue" }, false},
		"Nothing":   {"it has nothing", func(app *v1alpha1.Application) { app.Status.Resources = nil }, false},
	}
	blue := red()
	blue.Name, blue.Spec.Destinations[0].Namespace = "blue", "blue"
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			other := application("other", key)
			tc.change(other)
			s := &shelf{}
			c := comparing(s, nil, known{apps: []*v1alpha1.Application{other}})
			c.Projects = projects{"red": red(), "blue": blue}
			got, err := c.Taken(t.Context(), "web", s, []gitops.Key{key, keyOf("red", "b")})
			if err != nil || (got[key] == "other") != tc.want || len(got) > 1 {
				t.Errorf("%s: %v taken, want %t: %v", tc.reason, got, tc.want, err)
			}
		})
	}
}

// unreadable are projects that cannot be read.
type unreadable struct{ err error }

func (u unreadable) Project(context.Context, string) (*v1alpha1.AppProject, error) { return nil, u.err }

// TestNobodyKnowsWhatIsTaken while a project cannot be read: what its Application has might
// go with another one otherwise. Who claims nothing of it is not asked about.
func TestNobodyKnowsWhatIsTaken(t *testing.T) {
	key, away := keyOf("red", "a"), errors.New("away")
	for name, tc := range map[string]struct {
		reason   string
		other    *v1alpha1.Application
		projects Projects
		fails    bool
	}{
		"Claims":  {"its project might permit it", application("other", key), unreadable{away}, true},
		"Nothing": {"it says of nothing that is asked for that it has it", application("other", keyOf("red", "b")), unreadable{away}, false},
		"Gone":    {"a project that is not there permits nothing", application("other", key), projects{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{}
			c := comparing(s, nil, known{apps: []*v1alpha1.Application{tc.other}})
			c.Projects = tc.projects
			taken, err := c.Taken(t.Context(), "web", s, []gitops.Key{key})
			if errors.Is(err, away) != tc.fails || (err != nil) != tc.fails || len(taken) > 0 {
				t.Errorf("%s: %v is taken: %v", tc.reason, taken, err)
			}
			if rules := c.RulesOf(t.Context(), tc.other, s); rules != nil {
				t.Errorf("%s: %+v is permitted", tc.reason, rules)
			}
		})
	}
}
