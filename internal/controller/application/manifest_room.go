package application

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/room"
)

// roomPause is about how soon an Application is looked at again for whose manifests there
// is no room: so late at least, and twice as late at most, so that not all of a project
// come at once.
const roomPause = time.Second

// enter begins the account of what a look has in memory.
func (r *Reconciler) enter(ctx context.Context, app *v1alpha1.Application) (context.Context, *room.Guest) {
	return r.Room.Enter(ctx, app.Spec.GetProject(), client.ObjectKeyFromObject(app).String())
}

func noRoom(err error) bool { return errors.Is(err, room.ErrNoRoom) }

// comeAgain ends a look for whose manifests there is no room, as if it had not begun: nothing
// is written or told, no error counts, and a status that is pending stays so. Whatever
// was asked for is still asked for.
func (r *Reconciler) comeAgain(ctx context.Context, app *v1alpha1.Application, g *room.Guest, found state.AsRead) reconcile.Result {
	r.pending.PutBack(app, found.Pending)
	if g.Tells() {
		r.Log.WarnContext(ctx, "applications wait for room in memory: the manifests of others are compared and applied", "project", app.Spec.GetProject(), "app", app.Name)
	}
	return reconcile.Result{RequeueAfter: roomPause + rand.N(roomPause)} //nolint:gosec // no secret
}
