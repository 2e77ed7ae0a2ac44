package application

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// TestWaveDependsCountsFromItsBeginning: since when a wave waits is kept while nobody has decided about it, and
// forgotten where nothing is waited for.
func TestWaveDependsCountsFromItsBeginning(t *testing.T) {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	o.SetAnnotations(map[string]string{gitops.AnnotationDependsOn: "Secret/a"})
	wave := &gitops.Wave{Phase: gitops.Sync, Actions: []gitops.Action{{Verb: gitops.Create, Key: gitops.KeyOf(o), Desired: &gitops.Manifest{Object: o}}}}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	dry := &v1alpha1.SyncOperation{DryRun: true}
	for name, tc := range map[string]struct {
		reason string
		ctx    context.Context //nolint:containedctx // it is what differs
		op     *v1alpha1.SyncOperation
		step   plan.Step
		kept   bool
	}{
		"Over":  {"the look was over before it was decided", over, &v1alpha1.SyncOperation{}, plan.Step{Wave: wave}, true},
		"Free":  {"a dry run waits for nothing", over, dry, plan.Step{Wave: wave}, false},
		"Again": {"what was applied is sent again", over, &v1alpha1.SyncOperation{}, plan.Step{Wave: wave, Again: true}, false},
		"None":  {"there is no wave", over, &v1alpha1.SyncOperation{}, plan.Step{}, false},
		"Alone": {"its objects depend on nothing", t.Context(), &v1alpha1.SyncOperation{}, plan.Step{Wave: &gitops.Wave{}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Status.OperationState = &v1alpha1.OperationState{Operation: v1alpha1.Operation{Sync: tc.op}}
			a := &state.Attempt{DependsSince: at}
			_, holds := (&Reconciler{}).waveDepends(tc.ctx, &state.Target{Subject: state.Subject{App: app}}, a, tc.step)
			want := time.Time{}
			if tc.kept {
				want = at
			}
			if holds || !a.DependsSince.Equal(want) {
				t.Errorf("%s: it holds the wave: %t, since %s, want %s", tc.reason, holds, a.DependsSince, want)
			}
		})
	}
}
