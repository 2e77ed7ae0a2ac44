package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	seals "github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// TestWhoAskedIsUnverifiedWithoutASeal writes into a status who asked, as whoever may write an Application can.
func TestWhoAskedIsUnverifiedWithoutASeal(t *testing.T) {
	known := []v1alpha1.Info{{Name: gitops.InfoInitiatorKnown, Value: "true"}}
	seal, at := seals.NewSeal(nil), v1alpha1.NewTime(time.Unix(100, 0))
	tests := map[string]struct {
		reason, want string
		by           v1alpha1.OperationInitiator
		info         []v1alpha1.Info
		sealed       bool
		without      bool
	}{
		"Named":     {"a name is what anybody may write", "dave (unverified)", v1alpha1.OperationInitiator{Username: "dave"}, nil, false, false},
		"Known":     {"so is that the engine knew it", "dave (unverified)", v1alpha1.OperationInitiator{Username: "dave"}, known, false, false},
		"Automated": {"and that the engine began it", "erin (unverified)", v1alpha1.OperationInitiator{Username: "erin", Automated: true}, nil, false, false},
		"Sealed":    {"under its seal it is the engine's word", "dave", v1alpha1.OperationInitiator{Username: "dave"}, known, true, false},
		"Unsealing": {"who has no seal knows nobody", "dave (unverified)", v1alpha1.OperationInitiator{Username: "dave"}, known, true, true},
		"Nobody":    {"an operation of the engine's own", "", v1alpha1.OperationInitiator{Automated: true}, nil, true, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			st := &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded, StartedAt: at, Operation: v1alpha1.Operation{InitiatedBy: tc.by, Info: tc.info}}
			app := w.apps[view.Key{Namespace: "argocd", Name: "web-dev"}]
			if app.Status.OperationState = st; tc.sealed {
				seal.Stamp(app.UID, at, &st.Operation)
			}
			o := w.options()
			if o.Asker = seal.Asker; tc.without {
				o.Asker = nil
			}
			got := send(t, as(New(o)), "reader", http.MethodGet, "/applications/argocd/web-dev", "")
			if tc.want == "" {
				if strings.Contains(got.Body.String(), `"by":`) {
					t.Errorf("%s: %s", tc.reason, got.Body)
				}
				return
			}
			if want := `"by":"` + tc.want + `"`; !strings.Contains(got.Body.String(), want) {
				t.Errorf("%s: want %s, got %d %s", tc.reason, want, got.Code, got.Body)
			}
		})
	}
}
