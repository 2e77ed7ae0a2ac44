package serve

import (
	"context"
	"errors"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Somebody may ask so often, of an Application each.
func TestRefreshesAreLimited(t *testing.T) {
	o := operator{refreshes: session.NewTries(0, 1)}
	web := view.Key{Namespace: "argocd", Name: "web"}
	ann := &auth.User{Name: "ann", Via: auth.Local}
	for reason, who := range map[string]string{
		"somebody": refreshOf(ann, web), "somebody else": refreshOf(&auth.User{Name: "ann", Via: auth.OIDC}, web),
		"another Application": refreshOf(ann, view.Key{Namespace: "argocd", Name: "shop"}),
	} {
		if err := o.refreshes.Take(who); err != nil {
			t.Errorf("%s waits for others: %v", reason, err)
		}
	}
	if err := o.Refresh(t.Context(), ann, view.Granted{Key: web}, api.Normal); !errors.Is(err, session.ErrBusy) {
		t.Errorf("the second is %v", err)
	}
}

// moved is a hub where an Application is in another project by now. It takes no
// write.
type moved struct{ client.Client }

func (moved) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	o.(*v1alpha1.Application).Spec.Project = "theirs"
	return nil
}

// TestRightsAreOfAProject: an Application that is moved after a right to it was found
// is not written by that right.
func TestRightsAreOfAProject(t *testing.T) {
	o := newOperator(&Options{Client: moved{}}, &index{rows: view.NewIndex(time.Unix(1, 0))}, nil)
	web := view.Granted{Key: view.Key{Namespace: "argocd", Name: "web"}, Project: "ours"}
	ann := &auth.User{Name: "ann", Via: auth.Local}
	for name, write := range map[string]func(context.Context) error{
		"Sync":      func(ctx context.Context) error { _, err := o.Sync(ctx, ann, web, api.Sync{}); return err },
		"Rollback":  func(ctx context.Context) error { _, err := o.Rollback(ctx, ann, web, api.Rollback{}); return err },
		"Refresh":   func(ctx context.Context) error { return o.Refresh(ctx, ann, web, api.Normal) },
		"Terminate": func(ctx context.Context) error { return o.Terminate(ctx, ann, web) },
		"Delete":    func(ctx context.Context) error { return o.Delete(ctx, ann, web, gitops.DeleteForeground) },
		"Approve":   func(ctx context.Context) error { return approver{o}.Approve(ctx, ann, web, "digest", time.Now()) },
		"Confirm":   func(ctx context.Context) error { return approver{o}.Confirm(ctx, ann, web, "digest") },
	} {
		t.Run(name, func(t *testing.T) {
			var p *gitops.Problem
			if err := write(t.Context()); !errors.As(err, &p) || p.Kind != gitops.NotReady {
				t.Errorf("got %v", err)
			}
		})
	}
}

// remade is a hub where an Application was made again. It takes no write.
type remade struct{ client.Client }

func (remade) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	app, _ := o.(*v1alpha1.Application)
	app.Namespace, app.Name, app.UID, app.Spec.Project = "argocd", "web", "now", "ours"
	return nil
}

// TestRollbackIsOfTheApplicationThatIsThere: an Application does not get the sources of
// another one that had its name.
func TestRollbackIsOfTheApplicationThatIsThere(t *testing.T) {
	s, at := historyOf(t), time.Now().Add(-time.Hour)
	id := history.ID("before", at)
	s.Sync(history.Sync{ID: id, App: history.App{Namespace: "argocd", Name: "web", UID: "before"}, Project: "ours", Phase: history.PhaseSucceeded, Started: at, Finished: at, Sources: []byte(`[{"repoURL":"https://git.example.com/theirs"}]`)})
	o := newOperator(&Options{Client: remade{}, History: s}, &index{rows: view.NewIndex(time.Unix(1, 0))}, nil)
	web := view.Granted{Key: view.Key{Namespace: "argocd", Name: "web"}, Project: "ours"}
	_, err := o.Rollback(t.Context(), &auth.User{Name: "ann", Via: auth.Local}, web, api.Rollback{Sync: id})
	if !gitops.IsProblem(err, gitops.NotFound) {
		t.Errorf("going back: %v", err)
	}
}
