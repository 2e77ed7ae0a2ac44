package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/marks"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// What a sync answers leads to how that very sync goes, for who may read the
// application.
func TestFollowOneSync(t *testing.T) {
	world := newWorld()
	h := world.handler()
	var asked Asked
	if err := json.Unmarshal(send(t, h, "writer", "POST", "/applications/argocd/web-dev/sync", "{}").Body.Bytes(), &asked); err != nil {
		t.Fatal(err)
	}
	at := strings.TrimPrefix(asked.Follow, Prefix)
	if at != "/operations/"+asked.ID {
		t.Fatalf("it is followed at %q", asked.Follow)
	}
	follow := func() (f Followed) {
		t.Helper()
		w := send(t, h, "reader", "GET", at, "")
		if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
		return f
	}
	if f := follow(); f.State != batch.Running || f.Verb != "sync" || *f.Application != (view.Key{Namespace: "argocd", Name: "web-dev"}) || f.By != "writer" {
		t.Errorf("before it begins: %+v", f)
	}
	app := world.apps[view.Key{Namespace: "argocd", Name: "web-dev"}].DeepCopy()
	end := time.Date(2026, 1, 1, 12, 1, 0, 0, time.UTC)
	app.Status.OperationState = &v1alpha1.OperationState{
		Operation: v1alpha1.Operation{Info: []v1alpha1.Info{{Name: gitops.InfoRequest, Value: asked.ID}}},
		Phase:     v1alpha1.OperationFailed, Message: "refused", StartedAt: v1alpha1.NewTime(end.Add(-time.Minute)), FinishedAt: &v1alpha1.Time{Time: end},
	}
	world.apps[view.Key{Namespace: "argocd", Name: "web-dev"}] = app
	world.marks.See(app, "writer")
	if f := follow(); f.State != batch.Done || f.Phase != "Failed" || f.Message != "refused" || !f.Ended.Equal(end) {
		t.Errorf("at its end: %+v", f)
	}
	var a Application
	if err := json.Unmarshal(send(t, h, "reader", "GET", "/applications/argocd/web-dev", "").Body.Bytes(), &a); err != nil || a.Operation.ID != asked.ID {
		t.Errorf("the application's operation is %+v, %v", a.Operation, err)
	}
	for user, want := range map[string]int{"": http.StatusUnauthorized, "other": http.StatusNotFound} {
		if w := send(t, h, user, "GET", at, ""); w.Code != want {
			t.Errorf("%q follows it: %d %s", user, w.Code, w.Body)
		}
	}
}

// unasked are rights of which nobody knows more yet than what is visible.
type unasked struct{ *world }

func (unasked) Permit(context.Context, *auth.User, reach.Access) error { return session.ErrBusy }

// Whose operation it is may not be known yet: that it is not there is no answer then.
func TestFollowWhileRightsAreNotKnown(t *testing.T) {
	w := newWorld()
	k := view.Key{Namespace: "argocd", Name: "web-dev"}
	w.marks.Ask(k, "mark", marks.Sync, "writer")
	o := w.options()
	o.Rights = unasked{w}
	if got := send(t, as(New(o)), "other", "GET", "/operations/mark", ""); got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}
