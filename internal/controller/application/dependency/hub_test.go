package dependency

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// at is the time of every test.
var at = time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)

var web = v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/web", Path: "."}

// hub has Applications and sets, which may not answer.
type hub struct {
	apps []*v1alpha1.Application
	sets []*v1alpha1.ApplicationSet
	away error
}

func (h *hub) Get(_ context.Context, name types.NamespacedName) (*v1alpha1.Application, error) {
	for _, app := range h.apps {
		if app.Namespace == name.Namespace && app.Name == name.Name {
			return app, nil
		}
	}
	if h.away != nil {
		return nil, h.away
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, name.Name)
}

func (h *hub) Set(_ context.Context, namespace, name string) (*v1alpha1.ApplicationSet, error) {
	for _, set := range h.sets {
		if set.Namespace == namespace && set.Name == name {
			return set, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, name)
}

func (h *hub) Matching(_ context.Context, namespace string, f func(*v1alpha1.Application) bool) ([]*v1alpha1.Application, error) {
	return slices.DeleteFunc(slices.Clone(h.apps), func(a *v1alpha1.Application) bool { return a.Namespace != namespace || !f(a) }), h.away
}

func (h *hub) MatchingSets(_ context.Context, namespace string, f func(*v1alpha1.ApplicationSet) bool) ([]*v1alpha1.ApplicationSet, error) {
	return slices.DeleteFunc(slices.Clone(h.sets), func(s *v1alpha1.ApplicationSet) bool { return s.Namespace != namespace || !f(s) }), h.away
}

// onHub has all Applications lead to the hub, where a project permits some namespaces.
type onHub struct {
	nowhere

	permitted []string
	unheeded  *[]string
}

func (onHub) OnHub(*v1alpha1.Application) bool { return true }

func (p onHub) Unheed(tracking string) {
	if p.unheeded != nil {
		*p.unheeded = append(*p.unheeded, tracking)
	}
}

func (p onHub) RulesOf(context.Context, *v1alpha1.Application) *policy.Question {
	if p.permitted == nil {
		return nil
	}
	project := &v1alpha1.AppProject{}
	for _, namespace := range p.permitted {
		project.Spec.Destinations = append(project.Spec.Destinations, v1alpha1.ApplicationDestination{Server: gitops.HubServer, Namespace: namespace})
	}
	return &policy.Question{Project: project, Target: policy.Target{Server: gitops.HubServer}}
}

// application is one that is healthy and synced, of project red.
func application(namespace, name string, change ...func(*v1alpha1.Application)) *v1alpha1.Application {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), Labels: map[string]string{"tier": "db"}}}
	app.Spec.Project, app.Spec.Source = "red", &web
	app.Status.Health.Status, app.Status.Sync.Status = v1alpha1.HealthStatusHealthy, v1alpha1.SyncStatusCodeSynced
	app.Status.Sync.ComparedTo.Source = web
	for _, c := range change {
		c(app)
	}
	return app
}

func dependsOn(text string) func(*v1alpha1.Application) {
	return func(a *v1alpha1.Application) { a.Annotations = map[string]string{gitops.AnnotationDependsOn: text} }
}

func ownedBy(set string) func(*v1alpha1.Application) {
	yes := true
	return func(a *v1alpha1.Application) {
		a.OwnerReferences = []metav1.OwnerReference{{Kind: v1alpha1.ApplicationSetKind, Name: set, Controller: &yes}}
	}
}

// applicationSet is one that is healthy.
func applicationSet(name string, conditions ...v1alpha1.ApplicationSetCondition) *v1alpha1.ApplicationSet {
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	set.Spec.Template.Spec.Project = "red"
	set.Status.Conditions = slices.Concat(conditions, []v1alpha1.ApplicationSetCondition{{Type: "ResourcesUpToDate", Status: "True"}})
	return set
}

// asks is what the Application team/web, which depends on something, waits for.
func asks(t *testing.T, h *hub, on string, change ...func(*Checker, *Asker)) (string, error) {
	t.Helper()
	app := application("team", "web", dependsOn(on))
	h.apps = append(h.apps, app)
	c := &Checker{Namespace: "argocd", Apps: h, Places: onHub{}, Checks: observe.New(), Now: func() time.Time { return at }}
	by := &Asker{App: app, Project: &v1alpha1.AppProject{}, Tracking: "team_web", Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"new"}}
	for _, f := range change {
		f(c, by)
	}
	refs, err := c.Of(t.Context(), app)
	if err != nil {
		t.Fatal(err)
	}
	return c.Unsettled(t.Context(), by, refs)
}

// TestApplicationIsReady to be built on when it is healthy, synced, at rest and has seen the commit.
func TestApplicationIsReady(t *testing.T) {
	deleted := metav1.NewTime(at)
	cases := map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		seen   string // the revision that it was compared with
		want   string
	}{
		"ready":       {"nothing is waited for", func(*v1alpha1.Application) {}, "new", ""},
		"deleting":    {"it goes", func(a *v1alpha1.Application) { a.DeletionTimestamp = &deleted }, "new", "it is being deleted"},
		"too large":   {"nobody knows all of it", func(a *v1alpha1.Application) { a.Outlined = "it is too large" }, "new", "it is too large"},
		"degraded":    {"it is broken", func(a *v1alpha1.Application) { a.Status.Health.Status = v1alpha1.HealthStatusDegraded }, "new", "Degraded"},
		"new":         {"nobody has looked at it", func(a *v1alpha1.Application) { a.Status.Health.Status = "" }, "new", "waiting for Application/db: "},
		"out of sync": {"it is not what Git says", func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeOutOfSync }, "new", "it is OutOfSync"},
		"edited":      {"its spec was changed since", func(a *v1alpha1.Application) { a.Spec.Source = &v1alpha1.ApplicationSource{} }, "new", "Progressing (Waiting for a comparison with the newest spec)"},
		"behind":      {"it was compared with an earlier commit", func(*v1alpha1.Application) {}, "old", "not compared with the same commit yet"},
		"unseen":      {"this engine has not compared it", func(*v1alpha1.Application) {}, "", "not compared with the same commit yet"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			app := application("team", "db", tc.change)
			looks := comparisons.NewBook()
			if tc.seen != "" {
				looks.Note(app, []string{tc.seen})
				if tc.seen == "old" {
					looks.Note(application("team", "other"), []string{"new"})
				}
			}
			got, err := asks(t, &hub{apps: []*v1alpha1.Application{app}}, "Application/db", func(c *Checker, by *Asker) { c.Looks, by.Compared = looks, true })
			if err != nil || (got != "") != (tc.want != "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s: it waits: %q, %v", tc.reason, got, err)
			}
		})
	}
	if got, err := asks(t, &hub{apps: []*v1alpha1.Application{application("team", "db")}}, "Application/db", func(c *Checker, _ *Asker) { c.Looks = comparisons.NewBook() }); got != "" || err != nil {
		t.Errorf("who was compared with nothing waits for a comparison: %q, %v", got, err)
	}
}

// TestApplicationsThatAreMeant by a name or a selector.
func TestApplicationsThatAreMeant(t *testing.T) {
	sick := func(a *v1alpha1.Application) { a.Status.Health.Status = v1alpha1.HealthStatusDegraded }
	others := func(a *v1alpha1.Application) { a.Spec.Project = "blue" }
	cases := map[string]struct {
		reason string
		on     string
		apps   []*v1alpha1.Application
		away   error
		want   string
	}{
		"selected":     {"those of the label alone", "Application[tier=db]", []*v1alpha1.Application{application("team", "db", sick), application("team", "ui", sick, func(a *v1alpha1.Application) { a.Labels = nil })}, nil, "waiting for Application/db: Degraded"},
		"none":         {"a selector that finds nothing is not met", "Application[tier=x]", nil, nil, "waiting for Application[tier=x]: there is none"},
		"itself":       {"a selector does not mean who has it", "Application/*", []*v1alpha1.Application{application("team", "db")}, nil, ""},
		"alone":        {"which is nothing where nothing else is", "Application/*", nil, nil, "there is none"},
		"meant":        {"a name may be misspelled", "Application/bd-main", []*v1alpha1.Application{application("team", "db-main")}, nil, `it does not exist; did you mean "db-main"?`},
		"elsewhere":    {"what is out of reach is told as what is not there", "Application/blue/db", []*v1alpha1.Application{application("blue", "db", others)}, nil, `namespace blue has none of project "red"`},
		"of nobody":    {"in the same words", "Application/blue/db", nil, nil, `namespace blue has none of project "red"`},
		"of project":   {"what is of the project is in reach", "Application/blue/db", []*v1alpha1.Application{application("blue", "db", sick)}, nil, "waiting for Application/db: Degraded"},
		"many":         {"the first are told, and how many there are", "Application/*", []*v1alpha1.Application{application("team", "a", sick), application("team", "b", sick), application("team", "c", sick), application("team", "d", sick)}, nil, "Application/a: Degraded; Application/b: Degraded; Application/c: Degraded, and 1 more"},
		"hub is away":  {"what is not known is not ready", "Application/db", nil, errors.New("no answer"), "waiting for Application/db: no answer"},
		"list is away": {"nor what is selected", "Application/*", nil, errors.New("no answer"), "no answer"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			got, err := asks(t, &hub{apps: tc.apps, away: tc.away}, tc.on)
			if err != nil || (got != "") != (tc.want != "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s: it waits: %q, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestSiblingsDoNotWaitForEachOther: those of one set say the same.
func TestSiblingsDoNotWaitForEachOther(t *testing.T) {
	sick := func(a *v1alpha1.Application) { a.Status.Health.Status = v1alpha1.HealthStatusDegraded }
	web := application("team", "web", ownedBy("all"))
	h := &hub{apps: []*v1alpha1.Application{web, application("team", "sibling", ownedBy("all"), sick), application("team", "other", ownedBy("others"))}}
	c := &Checker{Namespace: "argocd", Apps: h}
	found, looked, err := c.selected(t.Context(), web, c.reachOf(web), depend.Ref{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind})
	if err != nil || len(found) != 1 || found[0].Name != "other" || looked != 3 {
		t.Errorf("of %d looked at, %v are meant: %v", looked, found, err)
	}
}

// TestSetIsReady when it is up to date, and all of its Applications are.
func TestSetIsReady(t *testing.T) {
	sick := func(a *v1alpha1.Application) { a.Status.Health.Status = v1alpha1.HealthStatusDegraded }
	others := func(a *v1alpha1.Application) { a.Spec.Project = "blue" }
	failed := v1alpha1.ApplicationSetCondition{Type: "ErrorOccurred", Status: "True", Message: "secret of blue"}
	large, going := applicationSet("all"), applicationSet("all")
	large.Outlined, going.DeletionTimestamp = "it is too large", &metav1.Time{Time: at}
	cases := map[string]struct {
		reason string
		set    *v1alpha1.ApplicationSet
		apps   []*v1alpha1.Application
		want   string
	}{
		"ready":     {"all of it is", applicationSet("all"), []*v1alpha1.Application{application("team", "a", ownedBy("all"))}, ""},
		"empty":     {"it may have none", applicationSet("all"), nil, ""},
		"none":      {"it is not there", applicationSet("other"), nil, "ApplicationSet/all: it does not exist"},
		"error":     {"its conditions tell why, to who may read them", applicationSet("all", failed), nil, "ApplicationSet/all: it has an error, which its conditions tell"},
		"too large": {"nobody knows all of it", large, nil, "ApplicationSet/all: it is too large"},
		"member":    {"one of them is broken", applicationSet("all"), []*v1alpha1.Application{application("team", "a", ownedBy("all"), sick), application("team", "b", ownedBy("other"), sick)}, "waiting for Application/a: Degraded"},
		"going":     {"it goes, with all of its Applications", going, nil, "ApplicationSet/all: it is not through with its Applications, as its conditions tell"},
		"in reach":  {"in its own namespace nothing is hidden", applicationSet("all"), []*v1alpha1.Application{application("team", "a", ownedBy("all"), sick, others)}, "Application/a: Degraded"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			got, err := asks(t, &hub{apps: tc.apps, sets: []*v1alpha1.ApplicationSet{tc.set}}, "ApplicationSet/all")
			if err != nil || (got != "") != (tc.want != "") || !strings.HasSuffix(got, tc.want) {
				t.Errorf("%s: it waits: %q, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestCircle: what waits for itself would wait for ever.
func TestCircle(t *testing.T) {
	child := func(namespace, name string) func(*v1alpha1.Application) {
		return func(a *v1alpha1.Application) {
			a.Status.Resources = append(a.Status.Resources, v1alpha1.ResourceStatus{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Namespace: namespace, Name: name})
		}
	}
	cases := map[string]struct {
		reason    string
		on        string
		apps      []*v1alpha1.Application
		permitted []string
		want      string
	}{
		"itself":    {"it is the shortest one", "Application/web", nil, nil, "web → web"},
		"two":       {"the other one waits for it", "Application/db", []*v1alpha1.Application{application("team", "db", dependsOn("Application/web"))}, nil, "db"},
		"chain":     {"a chain ends", "Application/db", []*v1alpha1.Application{application("team", "db", dependsOn("Application/net")), application("team", "net")}, nil, ""},
		"of a set":  {"a set is as far as its Applications", "ApplicationSet/all", []*v1alpha1.Application{application("team", "db", ownedBy("all"), dependsOn("Application/web"))}, nil, "all"},
		"parent":    {"a parent waits for its children", "Application/root", []*v1alpha1.Application{application("team", "root", child("team", "web"))}, []string{"team"}, "root"},
		"claimed":   {"a status may name children that the project does not permit", "Application/root", []*v1alpha1.Application{application("team", "root", child("team", "web"))}, []string{"other"}, ""},
		"forbidden": {"or be of one that is not permitted at all", "Application/root", []*v1alpha1.Application{application("team", "root", child("team", "web"))}, nil, ""},
		"broken":    {"what the other one says cannot be read", "Application/db", []*v1alpha1.Application{application("team", "db", dependsOn("?"))}, nil, ""},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			_, err := asks(t, &hub{apps: tc.apps, sets: []*v1alpha1.ApplicationSet{applicationSet("all")}}, tc.on, func(c *Checker, _ *Asker) { c.Places = onHub{permitted: tc.permitted} })
			if (err != nil) != (tc.want != "") || err != nil && (!strings.Contains(err.Error(), "dependencies go in a circle: ") || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestForgetStopsWatching what is not waited for any more, and nothing else.
func TestForgetStopsWatching(t *testing.T) {
	var unheeded []string
	c, by := &Checker{Namespace: "argocd", Places: onHub{unheeded: &unheeded}, Register: NewRegister()}, &Asker{App: application("team", "web"), Tracking: "team_web"}
	key := gitops.Key{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Namespace: "team", Name: "db"}
	for _, name := range []string{"web", "ui"} {
		c.Register.Set(types.NamespacedName{Namespace: "team", Name: name}, []Object{{Server: gitops.HubServer, Key: key}})
	}
	c.Forget(by)
	if got := c.Register.On(gitops.HubServer, key, "red"); len(got) != 1 || got[0].Name != "ui" || !slices.Equal(unheeded, []string{"team_web"}) {
		t.Errorf("%v are woken, and %v are not told of objects", got, unheeded)
	}
}

// TestTimeout is the shortest of those that are said; without one it is waited for as long
// as it takes.
func TestTimeout(t *testing.T) {
	var got []time.Duration
	for _, limits := range [][]time.Duration{nil, {0, 0}, {0, time.Hour, time.Minute, 0}, {time.Minute, time.Hour}} {
		refs := make([]depend.Ref, len(limits))
		for i := range limits {
			refs[i].Timeout = limits[i]
		}
		got = append(got, Timeout(refs))
	}
	if diff := cmp.Diff([]time.Duration{0, 0, time.Minute, time.Minute}, got); diff != "" {
		t.Errorf("it is waited for (-want +got):\n%s", diff)
	}
}
