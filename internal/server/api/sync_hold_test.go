package api

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Why a wave waits is in one answer: the wave, the objects with what their
// health says, and since when.
func TestHoldOfARunningSync(t *testing.T) {
	began, changed := time.Unix(1000, 0).UTC(), v1alpha1.NewTime(time.Unix(1060, 0))
	resource := func(name, health, message string, wave int64) v1alpha1.ResourceStatus {
		return v1alpha1.ResourceStatus{
			Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: name, SyncWave: wave,
			Health: &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusCode(health), Message: message},
		}
	}
	web := gitops.Waiting{Key: gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, Phase: gitops.Sync, Wave: 1, Health: gitops.Health{Message: "1 of 3 replicas"}}
	migrate := gitops.Waiting{Key: gitops.Key{Group: "batch", Kind: "Job", Namespace: "shop", Name: "migrate"}, Phase: gitops.PreSync, Wave: -1, Health: gitops.Health{Code: gitops.Progressing}}
	one, before := 1, -1
	deployment := func(name, health, message string) HeldBy {
		return HeldBy{Ref: Ref{"apps", "v1", "Deployment", "shop", name}, Health: health, Message: message}
	}
	cases := map[string]struct {
		reason     string
		state      v1alpha1.OperationState
		conditions []v1alpha1.ApplicationCondition
		want       *Hold
	}{
		"over":  {"what is over waits for nothing", v1alpha1.OperationState{Phase: "Succeeded", Message: "successfully synced"}, nil, nil},
		"still": {"nothing is said yet", v1alpha1.OperationState{Phase: "Running"}, nil, nil},
		"wave": {
			"the object that is named comes first, and those of its wave that are not healthy", v1alpha1.OperationState{Phase: "Running", Message: web.String() + " (and 1 more)"}, nil,
			&Hold{For: "wave", Phase: "Sync", Wave: &one, Since: began, Objects: []HeldBy{deployment("web", "Progressing", "1 of 3 replicas"), deployment("cart", "Progressing", "0 of 1")}},
		},
		"hook": {
			"a hook is told by its result", v1alpha1.OperationState{Phase: "Running", Message: migrate.String(), SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{
				{Group: "batch", Version: "v1", Kind: "Job", Namespace: "shop", Name: "migrate", SyncPhase: "PreSync", HookType: "PreSync", HookPhase: "Running"},
				{Group: "batch", Version: "v1", Kind: "Job", Namespace: "shop", Name: "seed", SyncPhase: "PreSync", HookType: "PreSync", HookPhase: "Running", Message: "1 active"},
			}}}, nil,
			&Hold{For: "wave", Phase: "PreSync", Wave: &before, Since: began, Objects: []HeldBy{
				{Ref: Ref{"batch", "v1", "Job", "shop", "migrate"}, Health: "Progressing", Hook: true},
				{Ref: Ref{"batch", "v1", "Job", "shop", "seed"}, Message: "1 active", Hook: true},
			}},
		},
		"retry":        {"a try has ended", v1alpha1.OperationState{Phase: "Running", Message: "x. Retrying attempt #1 at 10:00:00.", FinishedAt: &changed}, nil, &Hold{For: "retry", Since: changed.UTC()}},
		"dependencies": {"a condition tells", v1alpha1.OperationState{Phase: "Running", Message: "waiting for application dns"}, []v1alpha1.ApplicationCondition{{Type: "DependencyWaiting", LastTransitionTime: &changed}}, &Hold{For: "dependencies", Since: changed.UTC()}},
		"approval":     {"somebody has to look", v1alpha1.OperationState{Phase: "Running", Message: "denied: the sync would delete 40 objects"}, []v1alpha1.ApplicationCondition{{Type: "DeletionHeldError", LastTransitionTime: &changed}}, &Hold{For: "approval", Since: changed.UTC()}},
		"window":       {"anything else is as it is said", v1alpha1.OperationState{Phase: "Running", Message: "no window is open"}, nil, &Hold{For: "other", Since: began}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			app := w.apps[view.Key{Namespace: "argocd", Name: "web-dev"}]
			tc.state.StartedAt = v1alpha1.NewTime(began)
			app.Status.OperationState, app.Status.Conditions = &tc.state, tc.conditions
			app.Status.Resources = []v1alpha1.ResourceStatus{
				resource("web", "Progressing", "1 of 3", 1), resource("cart", "Progressing", "0 of 1", 1), resource("db", "Healthy", "", 1), resource("late", "Missing", "", 2),
			}
			var got Application
			if err := json.Unmarshal(send(t, w.handler(), "reader", "GET", "/applications/argocd/web-dev", "").Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if tc.want != nil {
				tc.want.Message = tc.state.Message
			}
			if diff := cmp.Diff(tc.want, got.Hold); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
