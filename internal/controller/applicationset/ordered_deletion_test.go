package applicationset

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// dismantled has the Applications of a set, and keeps what is deleted of them and what is
// written of the set.
type dismantled struct {
	client.Client

	apps       []v1alpha1.Application
	deleted    []string
	finalizers []string
	wrote      bool
	said       []string
}

func (d *dismantled) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*v1alpha1.ApplicationList).Items = d.apps //nolint:forcetypeassert // nothing else is listed
	return nil
}

func (d *dismantled) Delete(_ context.Context, o client.Object, _ ...client.DeleteOption) error {
	d.deleted = append(d.deleted, o.GetName())
	return nil
}

func (d *dismantled) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.PatchOption) error {
	d.finalizers, d.wrote = o.GetFinalizers(), true
	return nil
}

func (d *dismantled) Status() client.SubResourceWriter { return told{of: d} }

// told keeps what the conditions of a set say.
type told struct {
	client.SubResourceWriter

	of *dismantled
}

func (s told) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	for _, c := range o.(*v1alpha1.ApplicationSet).Status.Conditions { //nolint:forcetypeassert // nothing else has a status here
		s.of.said = append(s.of.said, c.Message)
	}
	return nil
}

// reversed is a set in steps that goes backwards, after which another one waits as well.
func reversed(changes ...func(*v1alpha1.ApplicationSet)) *v1alpha1.ApplicationSet {
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "addons", Finalizers: []string{"example.com/other", v1alpha1.FinalizerResources}}}
	step := func(stage string) v1alpha1.ApplicationSetRolloutStep {
		return v1alpha1.ApplicationSetRolloutStep{MatchExpressions: []v1alpha1.ApplicationMatchExpression{{Key: "stage", Operator: "In", Values: []string{stage}}}}
	}
	set.Spec.Strategy = &v1alpha1.ApplicationSetStrategy{
		Type: v1alpha1.ApplicationSetStrategyRollingSync, DeletionOrder: v1alpha1.ApplicationSetDeletionOrderReverse,
		RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{Steps: []v1alpha1.ApplicationSetRolloutStep{step("dev"), step("prod")}},
	}
	for _, change := range changes {
		change(set)
	}
	return set
}

// TestSetsGoBackwards: a step goes when all of the one after it has gone, and the set when nothing of a step is left.
func TestSetsGoBackwards(t *testing.T) {
	of := func(name, stage string) v1alpha1.Application {
		return v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"stage": stage}}}
	}
	goes := func(a v1alpha1.Application) v1alpha1.Application {
		now := metav1.Now()
		a.DeletionTimestamp = &now
		return a
	}
	keeps := v1alpha1.ApplicationsSyncPolicyCreateUpdate
	all := []v1alpha1.Application{of("dev-1", "dev"), of("prod-2", "prod"), of("prod-1", "prod"), of("loose", "")}
	for name, c := range map[string]struct {
		reason  string
		set     *v1alpha1.ApplicationSet
		apps    []v1alpha1.Application
		deleted []string
		waits   string // what the set says; it is let go when empty
	}{
		"Last":     {"the last step is first", reversed(), all, []string{"prod-1", "prod-2"}, "Step 2 is being deleted: it waits for prod-1, prod-2"},
		"Goes":     {"what goes already is waited for, and not deleted again", reversed(), []v1alpha1.Application{of("dev-1", "dev"), goes(of("prod-1", "prod"))}, nil, "Step 2 is being deleted: it waits for prod-1"},
		"Next":     {"then the one before it", reversed(), all[:1], []string{"dev-1"}, "Step 1 is being deleted: it waits for dev-1"},
		"Loose":    {"what no step selects goes with the set", reversed(), all[3:], nil, ""},
		"Forwards": {"in no order all of them go with the set", reversed(func(s *v1alpha1.ApplicationSet) { s.Spec.Strategy.DeletionOrder = "" }), all, nil, ""},
		"Keeps": {"a set that may delete nothing deletes nothing", reversed(func(s *v1alpha1.ApplicationSet) {
			s.Spec.SyncPolicy = &v1alpha1.ApplicationSetSyncPolicy{ApplicationsSync: &keeps}
		}), all, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			api := &dismantled{apps: c.apps}
			r := New(Options{Client: api, Rollouts: NewRollouts()})
			r.Rollouts.keep(c.set, nil)
			if err := r.dismantle(t.Context(), c.set); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.deleted, api.deleted, cmpopts.EquateEmpty()); diff != "" || strings.Join(api.said, "; ") != c.waits {
				t.Errorf("%s: it says %q, and deletes (-want +got):\n%s", c.reason, api.said, diff)
			}
			if gone := c.waits == ""; api.wrote != gone || gone && !slices.Equal(api.finalizers, []string{"example.com/other"}) {
				t.Errorf("%s: the set is let go: %t, and keeps %v", c.reason, api.wrote, api.finalizers)
			}
			if known := r.Rollouts.Rolls(client.ObjectKeyFromObject(c.set)); known != (c.waits != "") {
				t.Errorf("%s: its roll-out is known: %t", c.reason, known)
			}
		})
	}
}

// TestSetsThatGoBackwardsAreSecured before anything is deleted: without the finalizer the garbage collector would be first.
func TestSetsThatGoBackwardsAreSecured(t *testing.T) {
	bare := func(s *v1alpha1.ApplicationSet) { s.Finalizers = []string{"example.com/other"} }
	for name, c := range map[string]struct {
		reason string
		set    *v1alpha1.ApplicationSet
		want   []string
	}{
		"New":      {"it waits for its Applications, and still for others", reversed(bare), []string{"example.com/other", v1alpha1.FinalizerResources}},
		"Secured":  {"it is so already", reversed(), nil},
		"Spelling": {"Argo CD takes any letters", reversed(bare, func(s *v1alpha1.ApplicationSet) { s.Spec.Strategy.DeletionOrder = "reverse" }), []string{"example.com/other", v1alpha1.FinalizerResources}},
		"Forwards": {"it has no order", reversed(bare, func(s *v1alpha1.ApplicationSet) { s.Spec.Strategy.DeletionOrder = "AllAtOnce" }), nil},
		"Whole":    {"nor steps", reversed(bare, func(s *v1alpha1.ApplicationSet) { s.Spec.Strategy.Type = "AllAtOnce" }), nil},
	} {
		api := &dismantled{}
		before := slices.Clone(c.set.Finalizers)
		if err := New(Options{Client: api}).secure(t.Context(), c.set); err != nil || !slices.Equal(api.finalizers, c.want) {
			t.Errorf("%s: %s: wrote %v, %v", name, c.reason, api.finalizers, err)
		}
		if !slices.Equal(c.set.Finalizers, before) {
			t.Errorf("%s: the set that was read is another one: %v", name, c.set.Finalizers)
		}
	}
}
