package inspect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

func TestFieldsInChanges(t *testing.T) {
	usual := []plan.Change{
		{Path: "metadata.annotations", New: map[string]any{"b": "c", "example.com/a": "d"}},
		{Path: "spec.template", New: map[string]any{"b": "c"}},
		{Path: "", New: map[string]any{"kind": "X"}},
	}
	if diff := cmp.Diff([]string{"metadata.annotations.b", `metadata.annotations["example.com/a"]`, "spec.template"}, fieldsIn(usual)); diff != "" {
		t.Errorf("usual ones (-want +got):\n%s", diff)
	}
	many, long := map[string]any{}, map[string]any{}
	for i := range 3000 {
		many[fmt.Sprintf("a%04d", i)] = "b"
		long[fmt.Sprintf("%04d%s", i, strings.Repeat("k", 2000))] = "b"
	}
	for name, labels := range map[string]map[string]any{"Many": many, "Long": long} {
		got := fieldsIn([]plan.Change{{Path: "metadata.labels", Old: labels}})
		if last := got[len(got)-1]; len(got) > mostFields+1 || len(strings.Join(got, "")) > mostTold+100 || last != fmt.Sprintf("and %d more", 3001-len(got)) {
			t.Errorf("%s: %d fields are told, the last one is %q", name, len(got), last)
		}
	}
}

// What is told of an object is which fields change; what is kept from the application is
// no change of it.
func TestChangesThatAreForetold(t *testing.T) {
	key := func(name string) gitops.Key { return gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: name} }
	got := changesOf([]plan.ObjectDiff{
		{Key: key("held"), Verb: gitops.Keep, Kept: "another application has it"},
		{Key: key("new"), Verb: gitops.Create, Diff: plan.Diff{Changes: []plan.Change{{New: map[string]any{"kind": "ConfigMap"}}}}},
		{Key: key("web"), Verb: gitops.Update, Diff: plan.Diff{Changes: []plan.Change{
			{Path: "metadata.labels", Old: map[string]any{"a": "b"}, New: map[string]any{"a": "c"}},
			{Path: "metadata.labels", Old: map[string]any{"gone": "b"}},
			{Path: "data.a", Old: "b"},
		}}},
	})
	want := []takeover.Change{
		{Key: key("new"), Verb: gitops.Create},
		{Key: key("web"), Verb: gitops.Update, Fields: []string{"metadata.labels", "metadata.labels.gone", "data.a"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A set rewrites Applications: the fields are told, and none where it leaves one as it is.
func TestFieldsOfARewrittenApplication(t *testing.T) {
	app := func(change func(*v1alpha1.Application)) *v1alpha1.Application {
		a := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: "shop", Destination: v1alpha1.ApplicationDestination{Name: "dev"}}}
		a.Namespace, a.Name, a.Labels = "argocd", "web", map[string]string{"team": "a"}
		change(a)
		return a
	}
	same := func(*v1alpha1.Application) {}
	for name, tc := range map[string]struct {
		reason string
		to     func(*v1alpha1.Application)
		want   []string
	}{
		"Same":    {"nothing differs", same, nil},
		"Spec":    {"another destination", func(a *v1alpha1.Application) { a.Spec.Destination.Name = "prod" }, []string{"spec.destination.name"}},
		"Label":   {"a label goes", func(a *v1alpha1.Application) { a.Labels = nil }, []string{"metadata.labels.team"}},
		"Several": {"in the order of the object", func(a *v1alpha1.Application) { a.Spec.Project, a.Spec.Destination.Name = "bank", "prod" }, []string{"spec.destination.name", "spec.project"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rewritten(app(same), app(tc.to))
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// A set that is going gives nothing, and what is in other namespaces is none of the
// installation's. One that cannot be foretold does not end the look at the others.
func TestSetsThatAreLeaving(t *testing.T) {
	leaving := func(namespace, name string) v1alpha1.ApplicationSet {
		s := v1alpha1.ApplicationSet{}
		now := metav1.Now()
		s.Namespace, s.Name, s.DeletionTimestamp = namespace, name, &now
		return s
	}
	in := &takeover.Installation{Namespace: "argocd", Sets: []v1alpha1.ApplicationSet{leaving("argocd", "a"), leaving("team", "b"), leaving("argocd", "c")}}
	got, err := (&Inspector{}).ForetellSets(t.Context(), in, nil)
	want := []takeover.SetComparison{{Name: "a", Problem: errLeaving.Error()}, {Name: "c", Problem: errLeaving.Error()}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := (&Inspector{}).ForetellSets(ended, in, nil); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("who no longer waits is told %+v, %v", got, err)
	}
}
