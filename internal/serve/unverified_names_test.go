package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/environment"
	"github.com/causeway-gitops/causeway/test/await"
)

// TestForgedWhoIsUnverified writes over who asked for a sync that has ended, as whoever may write an Application can:
// neither pages nor environments have it as the engine's word.
func TestForgedWhoIsUnverified(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	s.App("app", "app", manual)
	v := s.visitor("")
	v.signIn(t)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"/sync", api.Sync{}, nil)
	s.Until("app", "synced", func(app *v1alpha1.Application) bool {
		return app.Operation == nil && app.Status.OperationState != nil && app.Status.OperationState.Phase.Completed()
	})
	s.isBy(t, v, "admin")
	known := []v1alpha1.Info{{Name: gitops.InfoInitiatorKnown, Value: "true"}}
	for _, tc := range []struct {
		reason string
		op     v1alpha1.Operation
		want   string
	}{
		{"another name under the seal of the one before", v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "dave"}}, "dave (unverified)"},
		{"a name as if the engine knew it", v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "dora"}, Info: known}, "dora (unverified)"},
		{"a name as if the engine had begun it", v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "erin", Automated: true}}, "erin (unverified)"},
	} {
		t.Run(tc.want, func(t *testing.T) {
			s.rewrite(t, "app", func(app *v1alpha1.Application) {
				op := &app.Status.OperationState.Operation
				if op.InitiatedBy = tc.op.InitiatedBy; tc.op.Info != nil {
					op.Info = tc.op.Info
				}
				app.Status.History[len(app.Status.History)-1].InitiatedBy = tc.op.InitiatedBy
				metav1.SetMetaDataAnnotation(&app.ObjectMeta, v1alpha1.AnnotationRefresh, string(v1alpha1.RefreshTypeNormal))
			})
			s.Until("app", "looked at again", func(app *v1alpha1.Application) bool { return app.Annotations[v1alpha1.AnnotationRefresh] == "" })
			s.isBy(t, v, tc.want)
		})
	}
}

// TestReplayedRequestIsUnverified asks once more for what somebody was let ask for, as whoever watches an Application and
// may write it can: that is nobody's word, and the audit tells of it.
func TestReplayedRequestIsUnverified(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	s.App("app", "app", manual)
	v := s.visitor("")
	v.signIn(t)
	watcher, err := client.NewWithWatch(hub, client.Options{Scheme: s.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	watched, err := watcher.Watch(ctx, &v1alpha1.ApplicationList{}, client.InNamespace(s.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	defer watched.Stop()
	v.wants(t, http.StatusAccepted, http.MethodPost, "/applications/"+s.Namespace+"/"+s.ID("app")+"/sync", api.Sync{}, nil)
	var asked *v1alpha1.Operation
	for e := range watched.ResultChan() {
		if app, ok := e.Object.(*v1alpha1.Application); ok && app.Operation != nil {
			asked = app.Operation
			break
		}
	}
	if asked == nil {
		t.Fatal("nobody was asked for anything")
	}
	ended := func(app *v1alpha1.Application) bool {
		return app.Operation == nil && app.Status.OperationState != nil && app.Status.OperationState.Phase.Completed()
	}
	s.Until("app", "synced", ended)
	s.isBy(t, v, "admin")
	s.rewrite(t, "app", func(app *v1alpha1.Application) { app.Operation = asked })
	s.isBy(t, v, "admin (unverified)")
	s.Until("app", "synced again", ended)
	sees(t, v, "/audit?verb=sync", func(page *api.AuditPage) error {
		for i := range page.Items {
			if strings.Contains(page.Items[i].Message, "by admin (unverified)") {
				return nil
			}
		}
		return fmt.Errorf("nothing tells of the second one: %+v", page.Items)
	})
}

// isBy waits until the API tells who asked for the last operation, and the environments who deployed what is there.
func (s *site) isBy(t *testing.T, v *visitor, want string) {
	t.Helper()
	sees(t, v, "/applications/"+s.Namespace+"/"+s.ID("app"), func(got *struct{ Operation api.Operation }) error {
		if got.Operation.By != want {
			return fmt.Errorf("the operation is by %q, want %q", got.Operation.By, want)
		}
		return nil
	})
	sees(t, v, "/environments", func(m *environment.Matrix) error {
		for _, p := range m.Items {
			for _, c := range p.Cells {
				if len(c.Applications) == 1 && c.Applications[0].Name == s.ID("app") && c.By == want {
					return nil
				}
			}
		}
		return fmt.Errorf("no cell is by %q: %+v", want, m.Items)
	})
}

// rewrite changes an Application by the rights of whoever may write all of it.
func (s *site) rewrite(t *testing.T, name string, change func(*v1alpha1.Application)) {
	t.Helper()
	app := &v1alpha1.Application{}
	if err := s.Get(t.Context(), client.ObjectKey{Namespace: s.Namespace, Name: s.ID(name)}, app); err != nil {
		t.Fatal(err)
	}
	before := app.DeepCopy()
	change(app)
	if err := s.Patch(t.Context(), app, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}
