package api

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// When something may be synced comes with the Application of which it is asked: a page is not told a moment later.
func TestWindowsOfWhatIsToBeSynced(t *testing.T) {
	cases := map[string]struct {
		reason string
		sync   v1alpha1.SyncStatusCode
		phase  v1alpha1.OperationPhase
		fails  error
		want   bool
	}{
		"synced":     {"nothing is to be synced", "Synced", "Succeeded", nil, false},
		"differs":    {"it waits for a sync", "OutOfSync", "Succeeded", nil, true},
		"unknown":    {"it may", "Unknown", "Succeeded", nil, true},
		"runs":       {"what runs may be held back", "Synced", "Running", nil, true},
		"no project": {"the rest is told all the same", "OutOfSync", "Succeeded", errors.New("project shop is gone"), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.windowless = tc.fails
			app := w.apps[view.Key{Namespace: "argocd", Name: "web-dev"}]
			app.Status.Sync.Status, app.Status.OperationState = tc.sync, &v1alpha1.OperationState{Phase: tc.phase}
			var got Application
			if err := json.Unmarshal(send(t, w.handler(), "reader", "GET", "/applications/argocd/web-dev", "").Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if told := got.Windows != nil; told != tc.want || got.Row == nil {
				t.Errorf("%s: windows are told: %t; want %t", tc.reason, told, tc.want)
			}
		})
	}
}
