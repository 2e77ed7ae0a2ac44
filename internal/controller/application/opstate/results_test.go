package opstate

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// TestResult shows what became of an object as Argo CD does.
func TestResult(t *testing.T) {
	live := func(code gitops.HealthCode) *gitops.Live {
		return &gitops.Live{Health: gitops.Health{Code: code}, Images: []string{"web:1"}}
	}
	cases := map[string]struct {
		reason string
		result gitops.Result
		want   v1alpha1.OperationPhase
	}{
		"applied":      {"it tells nothing of its health", gitops.Result{Verb: gitops.Update, Live: live(gitops.Degraded)}, v1alpha1.OperationRunning},
		"failed":       {"it was refused", gitops.Result{Verb: gitops.Update, Err: errors.New("no")}, v1alpha1.OperationFailed},
		"pruned":       {"what is gone is done", gitops.Result{Verb: gitops.Prune}, v1alpha1.OperationSucceeded},
		"not pruned":   {"unless it could not be", gitops.Result{Verb: gitops.Prune, Err: errors.New("no")}, v1alpha1.OperationFailed},
		"left":         {"what is left alone, too", gitops.Result{Verb: gitops.Skip}, v1alpha1.OperationSucceeded},
		"hook":         {"a hook without a health is done when it is made", gitops.Result{Hook: true, Verb: gitops.Create, Live: live("")}, v1alpha1.OperationSucceeded},
		"hook runs":    {"it is waited for", gitops.Result{Hook: true, Verb: gitops.Create, Live: live(gitops.Progressing)}, v1alpha1.OperationRunning},
		"hook halts":   {"also where it is halted", gitops.Result{Hook: true, Verb: gitops.Create, Live: live(gitops.Suspended)}, v1alpha1.OperationRunning},
		"hook fails":   {"it failed", gitops.Result{Hook: true, Verb: gitops.Create, Live: live(gitops.Degraded)}, v1alpha1.OperationFailed},
		"hook?":        {"what nobody knows is no success", gitops.Result{Hook: true, Verb: gitops.Create, Live: live(gitops.HealthUnknown)}, v1alpha1.OperationFailed},
		"hook ran":     {"it ran before, and is gone", gitops.Result{Hook: true, Verb: gitops.Keep}, v1alpha1.OperationSucceeded},
		"hook is sent": {"nobody knows yet", gitops.Result{Hook: true, Verb: gitops.Create}, v1alpha1.OperationRunning},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			tc.result.Key, tc.result.Phase, tc.result.Message = gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, gitops.PreSync, "said"
			tc.result.Version, tc.result.Status = "v1", "Synced"
			want := v1alpha1.ResourceResult{
				Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web", Status: "Synced", Message: "said", SyncPhase: "PreSync", HookPhase: tc.want,
			}
			if tc.result.Hook {
				want.HookType = "PreSync"
			}
			if tc.result.Live != nil {
				want.Images = []string{"web:1"}
			}
			if diff := cmp.Diff(want, Result(&tc.result)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHooksThatRan are told by the record of the operation, each of its phase.
func TestHooksThatRan(t *testing.T) {
	hook := func(phase v1alpha1.SyncPhase, name, namespace string, is v1alpha1.OperationPhase) v1alpha1.ResourceResult {
		return v1alpha1.ResourceResult{Group: "batch", Kind: "Job", Name: name, Namespace: namespace, SyncPhase: phase, HookType: v1alpha1.HookType(phase), HookPhase: is}
	}
	plain := hook("Sync", "plain", "shop", v1alpha1.OperationSucceeded)
	plain.HookType = ""
	st := &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{
		hook("PreSync", "a", "shop", v1alpha1.OperationSucceeded), hook("PostSync", "a", "shop", v1alpha1.OperationRunning),
		hook("PreSync", "b", "shop", v1alpha1.OperationFailed), plain,
	}}}
	for name, tc := range map[string]struct {
		reason string
		phase  gitops.Phase
		key    gitops.Key
		want   plan.HookState
	}{
		"over":      {"it has succeeded", gitops.PreSync, gitops.Key{Group: "batch", Kind: "Job", Namespace: "shop", Name: "a"}, plan.HookOver},
		"started":   {"in another phase it runs still", gitops.PostSync, gitops.Key{Group: "batch", Kind: "Job", Namespace: "shop", Name: "a"}, plan.HookStarted},
		"failed":    {"it has begun, and not succeeded", gitops.PreSync, gitops.Key{Group: "batch", Kind: "Job", Namespace: "shop", Name: "b"}, plan.HookStarted},
		"not yet":   {"it is not in the record", gitops.SyncFail, gitops.Key{Group: "batch", Kind: "Job", Namespace: "shop", Name: "a"}, plan.HookPending},
		"elsewhere": {"its namesake is not, either", gitops.PreSync, gitops.Key{Group: "batch", Kind: "Job", Namespace: "pay", Name: "a"}, plan.HookPending},
		"group":     {"nor is one of another group", gitops.PreSync, gitops.Key{Kind: "Job", Namespace: "shop", Name: "a"}, plan.HookPending},
		"plain":     {"an object that is no hook has not run as one", gitops.Sync, gitops.Key{Group: "batch", Kind: "Job", Namespace: "shop", Name: "plain"}, plan.HookPending},
		"global":    {"what has no namespace shows the Application's", gitops.PreSync, gitops.Key{Group: "batch", Kind: "Job", Name: "a"}, plan.HookOver},
	} {
		if got := Ran(st)(tc.phase, tc.key); got != tc.want {
			t.Errorf("%s: %s: got %v, want %v", name, tc.reason, got, tc.want)
		}
	}
	if Ran(&v1alpha1.OperationState{}) != nil {
		t.Error("an operation without a record tells of hooks")
	}
}

// TestWordsOfManyThings name the first ones, and count the others.
func TestWordsOfManyThings(t *testing.T) {
	errs := make([]error, 0, 5)
	for _, text := range []string{"a", "b", "c", "d", "e"} {
		errs = append(errs, errors.New(text))
	}
	waits := gitops.Waiting{Key: gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}, Phase: gitops.Sync, Health: gitops.Health{Code: gitops.Progressing, Message: "1 of 3"}}
	got := []string{
		Told(errs[:1]), Told(errs[:3]), Told(errs), Told(nil),
		Failure(plan.Step{Errors: errs[:2]}), Failure(plan.Step{}),
		WaitingFor(plan.Step{}), WaitingFor(plan.Step{Waiting: []gitops.Waiting{waits}}), WaitingFor(plan.Step{Waiting: []gitops.Waiting{waits, waits, waits}}),
	}
	want := []string{
		"a", "a; b; c", "a; b; c; and 2 more", "",
		"a; b", "one or more objects failed to apply",
		"waiting", waits.String(), waits.String() + " (and 2 more)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is told (-want +got):\n%s", diff)
	}
	results := v1alpha1.ResourceResults{{Kind: "b", Name: "a"}, {Kind: "a", Namespace: "b"}, {Kind: "a", Namespace: "a", Name: "z"}, {Kind: "a", Namespace: "a", Name: "b"}}
	slices.SortFunc(results, ByKind)
	if results[0].Name != "b" || results[1].Name != "z" || results[3].Kind != "b" {
		t.Errorf("the order is %+v", results)
	}
}
