package application

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestHoldOfARollback runs operations after a rollback from revision two to
// one, and asks whether two is still held back.
func TestHoldOfARollback(t *testing.T) {
	synced := func(revision string) opstate.Wanted {
		return opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{revision}}
	}
	compared := func(revision, digest string) *state.Comparison {
		return &state.Comparison{Wanted: synced(revision), Comparison: compare.Comparison{Rendering: &gitops.Rendering{Digest: digest}, Plan: &gitops.Plan{Sync: gitops.OutOfSync}}}
	}
	back := func(infos ...v1alpha1.Info) v1alpha1.Operation {
		return v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}, Info: append(infos, v1alpha1.Info{Name: gitops.InfoRollback, Value: "one"})}
	}
	leaves := v1alpha1.Info{Name: gitops.InfoHeldDigest, Value: "two"}
	rolled := back(leaves)
	atomic := back(leaves, v1alpha1.Info{Name: gitops.InfoHeldRevision, Value: opstate.Joined([]string{"two"})})
	full := v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}
	part := v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Resources: []v1alpha1.SyncOperationResource{{Kind: "ConfigMap", Name: "settings"}}}}
	dry := v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{DryRun: true}}
	dryBack := back(v1alpha1.Info{Name: gitops.InfoHeldDigest, Value: "another"})
	dryBack.Sync = dry.Sync
	repeated := full
	repeated.Info = []v1alpha1.Info{{Name: gitops.InfoHeldAt, Value: "one"}, leaves}
	partBack := back()
	partBack.Sync = part.Sync
	two := compared("two", "two")
	cases := map[string]struct {
		reason   string
		rollback v1alpha1.Operation
		to       string
		then     []v1alpha1.Operation
		now      *state.Comparison
		held     bool
	}{
		"rollback":            {"what was rolled back does not come by itself", rolled, "one", nil, two, true},
		"dry run":             {"it changes nothing", rolled, "one", []v1alpha1.Operation{dry}, two, true},
		"dry rollback":        {"nor does one that only tries a rollback, whatever that would leave", rolled, "one", []v1alpha1.Operation{dryBack}, two, true},
		"part":                {"the rest was not asked for", rolled, "one", []v1alpha1.Operation{part}, two, true},
		"rollback of a part":  {"nor was it by one that goes back to what was just left", rolled, "one", []v1alpha1.Operation{partBack}, two, true},
		"several":             {"nor by one after the other", rolled, "one", []v1alpha1.Operation{dry, part, dryBack, part, dry}, two, true},
		"atomic":              {"a rollback without a person is as good", atomic, "one", []v1alpha1.Operation{dry, part}, two, true},
		"atomic, rendered":    {"it holds the revision, too", atomic, "one", []v1alpha1.Operation{dry, part}, compared("two", "as another"), true},
		"unseen":              {"what the sources say is looked at only now", back(), "one", []v1alpha1.Operation{dry}, two, true},
		"to what is wanted":   {"nothing was left", back(), "two", []v1alpha1.Operation{dry, part}, two, false},
		"new manifests":       {"the repair rolls out", rolled, "one", []v1alpha1.Operation{dry, part}, compared("three", "three"), false},
		"other commit":        {"it changes nothing of the application", rolled, "one", []v1alpha1.Operation{dry, part}, compared("three", "two"), true},
		"full":                {"somebody asked", rolled, "one", []v1alpha1.Operation{full}, two, false},
		"full after dry":      {"as well after one that was tried", rolled, "one", []v1alpha1.Operation{dry, part, full}, two, false},
		"full, then dry":      {"what has ended does not come back", rolled, "one", []v1alpha1.Operation{full, dry}, two, false},
		"repeated":            {"also with what an earlier operation carried", rolled, "one", []v1alpha1.Operation{repeated}, two, false},
		"nothing said":        {"an operation that says nothing of a sync is an ordinary one", rolled, "one", []v1alpha1.Operation{{}}, two, false},
		"no rollback":         {"there is nothing to carry", full, "one", []v1alpha1.Operation{dry, part}, two, false},
		"only a dry rollback": {"it has not gone back", full, "one", []v1alpha1.Operation{dryBack, dry}, compared("two", "another"), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Status.OperationState = opstate.Begin(*tc.rollback.DeepCopy(), synced(tc.to), at)
			for _, op := range tc.then {
				app.Operation = op.DeepCopy()
				opstate.StartRequested(app, synced("two"), at)
			}
			if got := pinned(app, tc.now); got != tc.held {
				t.Errorf("%s: got %t, want %t: %+v", tc.reason, got, tc.held, app.Status.OperationState.Operation.Info)
			}
			if _, revision := opstate.WentBack(app.Status.OperationState); tc.held && revision != tc.to {
				t.Errorf("it is said to have gone back to %q", revision)
			}
		})
	}
}
