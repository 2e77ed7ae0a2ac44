package application

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// dryRuns answers as an API server does.
type dryRuns struct {
	Applier

	verb    gitops.Verb
	refusal error
}

func (d dryRuns) Confirm(_ context.Context, _ apply.Cluster, a gitops.Action) (gitops.Action, error) {
	a.Verb = d.verb
	return a, nil
}

func (d dryRuns) Predict(context.Context, apply.Cluster, gitops.Action) (live, predicted *unstructured.Unstructured, err error) {
	return nil, nil, d.refusal
}

// described is a cluster with a description alone.
type described struct{ state.Cluster }

func (described) Desc() gitops.Cluster {
	return gitops.Cluster{Server: gitops.HubServer, Name: "in-cluster"}
}

// TestForesee is about which objects Force=true may delete, so that each is
// counted, and none that was not.
func TestForesee(t *testing.T) {
	invalid := gitops.Problemf(gitops.Invalid, "it has fields that cannot be changed")
	for name, tc := range map[string]struct {
		reason  string
		options gitops.Options
		answer  dryRuns
		hook    bool
		verb    gitops.Verb
		goes    bool
		force   bool
	}{
		"Plain":       {"nothing is made anew", gitops.Options{}, dryRuns{verb: gitops.Update}, false, gitops.Update, false, false},
		"Replace":     {"it is made anew", gitops.Options{Replace: true, Force: true}, dryRuns{verb: gitops.Update}, false, gitops.Update, true, true},
		"ReplaceSame": {"it is as desired", gitops.Options{Replace: true, Force: true}, dryRuns{verb: gitops.Keep}, false, gitops.Keep, false, true},
		"Refused":     {"it cannot be changed", gitops.Options{Force: true}, dryRuns{verb: gitops.Update, refusal: invalid}, false, gitops.Update, true, true},
		"Taken":       {"it can be changed", gitops.Options{Force: true}, dryRuns{verb: gitops.Update}, false, gitops.Update, false, false},
		"NotNow":      {"the cluster cannot be reached", gitops.Options{Force: true}, dryRuns{verb: gitops.Update, refusal: gitops.Problemf(gitops.Unreachable, "no answer")}, false, gitops.Update, false, false},
		"Hook":        {"what becomes of hooks is known", gitops.Options{Replace: true, Force: true}, dryRuns{verb: gitops.Keep}, true, gitops.Update, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{Options: Options{Apply: tc.answer}}
			project := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{
				Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}},
			}}
			k := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
			p := &gitops.Plan{Waves: []gitops.Wave{{Actions: []gitops.Action{{Verb: gitops.Update, Key: k, Live: &gitops.Live{Key: k}, Options: tc.options, Hook: tc.hook}}}}}
			if err := r.foresee(t.Context(), &state.Target{Subject: state.Subject{App: &v1alpha1.Application{}, Project: project, Cluster: described{}}}, p); err != nil {
				t.Fatal(err)
			}
			if a := p.Waves[0].Actions[0]; a.Verb != tc.verb || a.Goes != tc.goes || a.Options.Force != tc.force {
				t.Errorf("%s: %s, goes %t, force %t", tc.reason, a.Verb, a.Goes, a.Options.Force)
			}
		})
	}
}

// TestRehearsalTellsOfDeletions is about what a dry run says of objects that
// would be deleted although they are in the sources.
func TestRehearsalTellsOfDeletions(t *testing.T) {
	k := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	wanted := &gitops.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}}
	for name, tc := range map[string]struct {
		reason string
		action gitops.Action
		want   string
	}{
		"Update":  {"it is changed", gitops.Action{Verb: gitops.Update}, "updated (dry run)"},
		"Anew":    {"Force=true", gitops.Action{Verb: gitops.Update, Goes: true}, "deleted and created again (dry run)"},
		"Hook":    {"an object becomes a hook", gitops.Action{Verb: gitops.Create, Hook: true, Goes: true, Recreate: true}, "the object that is there becomes a hook, and is deleted (dry run)"},
		"Remains": {"a usual hook", gitops.Action{Verb: gitops.Create, Hook: true, Goes: true, Recreate: true, Remains: true}, "created (dry run)"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.action.Key, tc.action.Desired, tc.action.Live = k, wanted, &gitops.Live{Key: k}
			r := &Reconciler{Options: Options{Apply: dryRuns{}}}
			if got := r.rehearsal(t.Context(), &state.Target{}, &tc.action, &gitops.Wave{Phase: gitops.Sync}); got.Message != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got.Message, tc.want)
			}
		})
	}
}

// discards counts what is deleted.
type discards struct {
	Applier

	keys *[]gitops.Key
}

func (d discards) Wave(_ context.Context, _ apply.Cluster, w gitops.Wave) []gitops.Result {
	*d.keys = append(*d.keys, w.Actions[0].Key)
	return []gitops.Result{{}}
}

// TestDiscardOnlyHooks ends operations whose record names an object as a hook
// that runs.
func TestDiscardOnlyHooks(t *testing.T) {
	k := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	hook := map[string]string{gitops.AnnotationHook: "Sync"}
	for name, tc := range map[string]struct {
		reason, tracking string
		annotations      map[string]string
		goes             bool
	}{
		"Hook":      {"it was made as one", "app", hook, true},
		"Object":    {"the record is wrong", "app", nil, false},
		"Another's": {"another application's hook", "other", hook, false},
	} {
		in := func(namespace string) *state.Target {
			permits := v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: namespace}}}
			return &state.Target{Subject: state.Subject{App: &v1alpha1.Application{}, Cluster: server{address: "https://here"}, Project: &v1alpha1.AppProject{Spec: permits}, Tracking: "app"}}
		}
		t.Run(name, func(t *testing.T) {
			var gone []gitops.Key
			r := &Reconciler{Options: Options{Apply: discards{keys: &gone}, Fleet: scopedFleet{}}}
			live := &gitops.Live{Key: k, Annotations: tc.annotations, Tracking: gitops.TrackingID(tc.tracking, k)}
			discard := func(now *state.Target) error {
				r.Projects = oneProject{now.Project}
				return r.discard(t.Context(), in("shop"), live)
			}
			if err := discard(in("shop")); err != nil || (len(gone) == 1) != tc.goes {
				t.Errorf("%s: deleted %v, %v", tc.reason, gone, err)
			}
			gone = nil
			if err := discard(in("blue")); len(gone) > 0 || err != nil {
				t.Errorf("%s: where the project does not permit it any more it deleted %v, %v", tc.reason, gone, err)
			}
			r.Acting = func() policy.Acting { return policy.ActAlways }
			if err := discard(in("shop")); len(gone) > 0 || (err != nil) != tc.goes {
				t.Errorf("%s: without somebody to act as it deleted %v, %v", tc.reason, gone, err)
			}
		})
	}
}
