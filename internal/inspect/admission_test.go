package inspect

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// admitted is Application web of a project that permits namespace shop of a cluster
// which does not answer, and there no Secrets.
func admitted(t *testing.T, has ...v1alpha1.ResourceStatus) *admission {
	t.Helper()
	const server = "https://127.0.0.1:1"
	f, err := fleet.New(fleet.Options{Hub: &rest.Config{Host: server}, Namespace: "argocd", Convert: observe.New().Live})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	if err := f.Set(t.Context(), gitops.Cluster{Name: "dev", Server: server + "/dev", Secret: "dev"}, &rest.Config{Host: server + "/dev"}); err != nil {
		t.Fatal(err)
	}
	app := &v1alpha1.Application{}
	app.Namespace, app.Name, app.Spec.Destination = "argocd", "web", v1alpha1.ApplicationDestination{Name: "dev", Namespace: "shop"}
	app.Status.Resources = has
	project := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{
		Destinations:               []v1alpha1.ApplicationDestination{{Name: "dev", Namespace: "shop"}},
		NamespaceResourceBlacklist: []metav1.GroupKind{{Kind: "Secret"}},
	}}
	project.Name = "shop"
	cluster, err := f.Resolve(app.Spec.Destination)
	if err != nil {
		t.Fatal(err)
	}
	return &admission{subject: subject{App: app, Project: project, Cluster: glanced{cluster}, Tracking: "web"}}
}

func status(kind, namespace, name string) v1alpha1.ResourceStatus {
	return v1alpha1.ResourceStatus{Version: "v1", Kind: kind, Namespace: namespace, Name: name}
}

// Who writes an Application writes its status, too: what they name there is looked at as
// far as the project permits it.
func TestStatusOpensNothing(t *testing.T) {
	a := admitted(t, status("ConfigMap", "shop", "b"), status("Secret", "shop", "a"), status("ConfigMap", "bank", "a"), status("Namespace", "", "bank"), status("ConfigMap", "shop", "a"))
	want := []v1alpha1.ResourceStatus{status("ConfigMap", "shop", "b"), status("ConfigMap", "shop", "a")}
	if diff := cmp.Diff(want, a.resources()); diff != "" {
		t.Errorf("looked at are (-want +got):\n%s", diff)
	}
}

// Of what the project does not permit the cluster is not even asked: there is nothing,
// whether or not it answers.
func TestListsOfWhatIsNotPermitted(t *testing.T) {
	a := admitted(t)
	for kind, namespace := range map[string]string{"Secret": "shop", "ConfigMap": "bank", "Node": ""} {
		if found, err := a.List(t.Context(), schema.GroupVersionKind{Version: "v1", Kind: kind}, namespace); err != nil || found != nil {
			t.Errorf("%s in %q: %v, %v", kind, namespace, found, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.List(ctx, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "shop"); err == nil {
		t.Error("of what is permitted the cluster is not asked")
	}
}

// What the project does not permit is named, and not compared; of what nothing would be
// told anyway nothing is told.
func TestDifferencesOfWhatIsNotPermitted(t *testing.T) {
	a := admitted(t)
	own, foreign := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}, gitops.Key{Kind: "ConfigMap", Namespace: "bank", Name: "a"}
	for name, tc := range map[string]struct {
		reason string
		action gitops.Action
		want   string
	}{
		"Permitted": {"it is compared", gitops.Action{Key: own, Verb: gitops.Update}, "compared"},
		"Foreign":   {"it says why it is not", gitops.Action{Key: foreign, Verb: gitops.Update}, "kept"},
		"Hook":      {"a hook is no object of the application", gitops.Action{Key: foreign, Verb: gitops.Create, Hook: true}, "nothing"},
		"Namespace": {"nor is a namespace that is only to be there", gitops.Action{Key: foreign, Verb: gitops.Create, Namespace: true}, "nothing"},
		"Skipped":   {"what a sync skips is not told of either", gitops.Action{Key: foreign, Verb: gitops.Skip}, "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			got, compared := "nothing", false
			d, err := a.within(func(context.Context, apply.Cluster, gitops.Action) (*plan.ObjectDiff, error) {
				compared = true
				return nil, nil
			})(t.Context(), nil, tc.action)
			switch {
			case err != nil:
				t.Fatal(err)
			case compared:
				got = "compared"
			case d != nil && d.Verb == gitops.Keep && strings.Contains(d.Kept, "bank") && d.Diff.Empty():
				got = "kept"
			}
			if got != tc.want {
				t.Errorf("%s: it is %s (%+v), want %s", tc.reason, got, d, tc.want)
			}
		})
	}
}

// An object that another installation has marked is none of this one's applications',
// whatever it is called there.
func TestMarksOfOtherInstallations(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, own, marked, want string
	}{
		"None":      {"neither has a name", "", "", "web"},
		"Own":       {"it is this one's", "blue", "blue", "web"},
		"Elsewhere": {"it is another one's", "blue", "red", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := tracked("a", "web:/ConfigMap:shop/a")
			if tc.marked != "" {
				notes := o.GetAnnotations()
				notes[gitops.AnnotationInstallation] = tc.marked
				o.SetAnnotations(notes)
			}
			a := &admission{subject: subject{Tracking: "web"}, marking: gitops.Tracking{Installation: tc.own}}
			if got := a.trackedBy(o); got != tc.want {
				t.Errorf("%s: it is of %q, want %q", tc.reason, got, tc.want)
			}
			if a.tracks(o) != (tc.want == "web") || a.holder(o) != "" {
				t.Errorf("%s: its own: %t, another one's: %q", tc.reason, a.tracks(o), a.holder(o))
			}
		})
	}
}

// holding has Applications of namespaces; err is what it answers for one by its name.
type holding struct {
	client.Client

	closed bool // for all namespaces at once
	errs   map[string]error
	asked  []string
}

func (h *holding) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	o := (&client.ListOptions{}).ApplyOptions(options)
	h.asked = append(h.asked, o.Namespace)
	if h.closed && o.Namespace == "" {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "applications"}, "", errors.New("no"))
	}
	app := v1alpha1.Application{}
	app.Name = "in-" + o.Namespace
	into.(*v1alpha1.ApplicationList).Items = []v1alpha1.Application{app}
	return h.errs["list"]
}

func (h *holding) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return h.errs[key.String()]
}

// Who may not list the Applications of all namespaces sees those of the control
// namespace; any other fault is one.
func TestApplicationsAsFarAsTheyMayBeRead(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		hub    *holding
		want   string
		asked  []string
	}{
		"All":    {"they may be listed", &holding{}, "in-", []string{""}},
		"Closed": {"only some may be", &holding{closed: true}, "in-argocd", []string{"", "argocd"}},
		"Away":   {"the hub does not answer", &holding{errs: map[string]error{"list": errors.New("away")}}, "", []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := applications{tc.hub, "argocd"}.All(t.Context())
			if (err != nil) != (tc.want == "") || err == nil && (len(all) != 1 || all[0].Name != tc.want) {
				t.Errorf("%s: got %v, %v", tc.reason, all, err)
			}
			if diff := cmp.Diff(tc.asked, tc.hub.asked); diff != "" {
				t.Errorf("%s: asked for (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// An object is called nobody's only where it is known that its application is not there.
func TestApplicationsOfOrphans(t *testing.T) {
	missing := apierrors.NewNotFound(schema.GroupResource{Resource: "applications"}, "gone")
	i := &Inspector{cfg: Config{Namespace: "argocd"}, client: &holding{errs: map[string]error{"team/gone": missing, "team/away": errors.New("away")}}}
	for tracking, want := range map[string]bool{
		"team_web": true, "team_gone": false, "team_away": true, // where it cannot be told, there is one
		"web": false, // those of the control namespace are known already
	} {
		if got := i.has(t.Context(), tracking); got != want {
			t.Errorf("there is an application %s: %t", tracking, got)
		}
	}
	look := applications{i.client, "argocd"}
	for name, want := range map[string]bool{"web": true, "gone": false, "away": true} {
		if got := look.Has(t.Context(), client.ObjectKey{Namespace: "team", Name: name}); got != want {
			t.Errorf("there is an application %s: %t", name, got)
		}
	}
}
