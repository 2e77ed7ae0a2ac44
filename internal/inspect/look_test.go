package inspect

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// going is an Application of project shop that goes to a namespace of cluster dev.
func going(name, namespace string) v1alpha1.Application {
	app := v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{
		Project: "shop", Source: &v1alpha1.ApplicationSource{RepoURL: shopRepo, Path: "."}, Destination: v1alpha1.ApplicationDestination{Name: "dev", Namespace: namespace},
	}}
	app.Namespace, app.Name = "argocd", name
	return app
}

// What a sync would leave as it is is no difference, whatever is behind it; of what it would
// leave for a reason the reason is told.
func TestWhatASyncLeavesIsNoDifference(t *testing.T) {
	wanted := &gitops.Manifest{}
	for name, tc := range map[string]struct {
		reason string
		action gitops.Action
		kept   string
	}{
		"Kept":    {"it is as it should be", gitops.Action{Verb: gitops.Keep, Desired: wanted}, ""},
		"Skipped": {"a sync does not look at it", gitops.Action{Verb: gitops.Skip, Desired: wanted, Reason: "another wave"}, ""},
		"Hook":    {"a hook is no object of it", gitops.Action{Verb: gitops.Create, Desired: wanted, Hook: true}, ""},
		"Spared":  {"it would go, and somebody keeps it", gitops.Action{Verb: gitops.Skip, Reason: "it is annotated with Prune=false"}, "it is annotated with Prune=false"},
	} {
		got, err := (&Inspector{}).diff(t.Context(), nil, tc.action)
		switch {
		case err != nil || (got != nil) != (tc.kept != ""):
			t.Errorf("%s: %s: %+v, %v", name, tc.reason, got, err)
		case got != nil && (got.Kept != tc.kept || got.Verb != gitops.Keep || !got.Diff.Empty()):
			t.Errorf("%s: %s: %+v", name, tc.reason, got)
		}
	}
}

// A difference is told with where it is written; that there is none is nothing.
func TestDifferencesAreShown(t *testing.T) {
	of := func(value string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"key": value}}}
	}
	i := &Inspector{settings: &hub.Settings{}}
	a := gitops.Action{Key: gitops.Key{Kind: "Secret", Name: "a"}, Verb: gitops.Update, Desired: &gitops.Manifest{Origin: gitops.Origin{File: "a.yaml", Line: 3}}}
	if got, err := i.shown(a, of("b2xk"), of("b2xk")); got != nil || err != nil {
		t.Errorf("of the same it is %+v, %v", got, err)
	}
	got, err := i.shown(a, of("b2xk"), of("bmV3"))
	if err != nil || got == nil || got.Origin.File != "a.yaml" || got.Verb != gitops.Update || len(got.Diff.Changes) != 1 || got.Diff.Changes[0].Path != "data.key" {
		t.Fatalf("it is %+v, %v", got, err)
	}
	if text := got.Diff.Changes[0]; text.Old == "b2xk" || text.New == "bmV3" {
		t.Errorf("a secret is shown: %+v", text)
	}
	a.Desired, a.Verb = nil, gitops.Prune
	if gone, err := i.shown(a, of("b2xk"), nil); err != nil || gone.Origin != (gitops.Origin{}) || gone.Verb != gitops.Prune {
		t.Errorf("of what goes it is %+v, %v", gone, err)
	}
	if _, err := i.shown(a, nil, nil); err == nil {
		t.Error("nothing is compared with nothing")
	}
}

// One Application that cannot be compared is told as such, and the others are compared all the
// same; who no longer waits is told nothing.
func TestForetellingGoesOnPastProblems(t *testing.T) {
	i := governing(t)
	apps := []v1alpha1.Application{going("a", "bank"), going("b", "vault")}
	apps[1].Namespace = "team"
	got, err := i.Foretell(t.Context(), apps)
	if err != nil || len(got) != 2 || got[0].Name != "a" || got[1].Name != "team_b" || !strings.Contains(got[0].Problem, "bank") || !strings.Contains(got[1].Problem, "vault") {
		t.Errorf("foretold is %+v, %v", got, err)
	}
	if none, err := i.Foretell(t.Context(), nil); err != nil || len(none) > 0 {
		t.Errorf("of none it is %+v, %v", none, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := i.Foretell(gone, apps); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone is told %v", err)
	}
}

// Sets are expanded for what an engine would do, and where one fails the others are foretold.
func TestSetsAreForetoldByThemselves(t *testing.T) {
	got, err := stocking(t, nil).ForetellSets(t.Context(), &takeover.Installation{Namespace: "argocd", Sets: setsOf(t), Applications: []v1alpha1.Application{going("web", "shop")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for _, set := range got {
		for _, change := range set.Changes {
			made[set.Name] += string(change.Verb) + " " + change.Application + " "
		}
		if (set.Problem != "") != (set.Name == "none") {
			t.Errorf("of %s it is said %q", set.Name, set.Problem)
		}
	}
	if diff := cmp.Diff(map[string]string{"fleet": "create fleet-dev create fleet-in-cluster ", "list": "create list-one "}, made); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// On a cluster that is paused nothing is done, but it may be asked what would be. Accounts are
// those of namespaces that the project permits.
func TestWhoActsWhere(t *testing.T) {
	i := governing(t)
	app := going("web", "shop")
	for namespace, permitted := range map[string]bool{"shop": true, "bank": false} {
		if got, err := i.Account(t.Context(), &app, namespace); (err == nil) != permitted || got != "" {
			t.Errorf("in %s it acts as %q: %v", namespace, got, err)
		}
	}
	act := Act{Object: gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, Version: "v1", Action: "restart"}
	if got := act.GVK().String(); got != "apps/v1, Kind=Deployment" {
		t.Errorf("the action is asked of %s", got)
	}
	paused := gitops.Cluster{Name: "dev", Server: devServer, Secret: "dev", Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}}
	if err := i.fleet.Set(t.Context(), paused, &rest.Config{Host: devServer}); err != nil {
		t.Fatal(err)
	}
	if _, err := i.actor(t.Context(), &app, act); !gitops.IsProblem(err, gitops.Refused) || !strings.Contains(err.Error(), "cluster dev is paused by the annotation") {
		t.Errorf("on a paused cluster: %v", err)
	}
	act.DryRun = true
	a, err := i.actor(t.Context(), &app, act)
	if err != nil || cmp.Diff([]string{"All"}, a.dryRun()) != "" {
		t.Errorf("what would be is not told: %v", err)
	}
	other := going("web", "bank")
	if _, err := i.Act(t.Context(), &other, act); err == nil || !strings.Contains(err.Error(), "bank") {
		t.Errorf("an Application that its project does not permit acts: %v", err)
	}
}

// Of an object that another application has there is no more in a tree than that it does.
func TestHeldNodesTellNothing(t *testing.T) {
	o := tracked("a", "blue:/ConfigMap:shop/a")
	o.SetUID("7")
	n := heldNode(o, "blue")
	if n.Key != gitops.KeyOf(o) || n.Holder != "blue" || n.Info != "part of application blue" || n.Version != "v1" || n.UID != "" || len(n.Images)+len(n.Children) > 0 {
		t.Errorf("told is %+v", n)
	}
}
