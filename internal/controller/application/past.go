package application

import (
	"context"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/journal"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Past tells what syncs did before.
type Past interface {
	// Kept finds a sync with its manifests; a Problem of kind NotFound when
	// it is not there any more.
	Kept(ctx context.Context, sync string) (*history.Kept, error)
	// Began reports whether an Application has begun, since a time, what was asked for
	// by a request.
	Began(ctx context.Context, app history.App, request string, since time.Time) (bool, error)
	// Passed reports whether a sync of an Application that began at a time is over, or
	// another one of it began later.
	Passed(ctx context.Context, app history.App, sync string, began time.Time) (bool, error)
}

// historyAnswers is how long a reconcile waits for the past to tell whether something
// was begun, or is over.
const historyAnswers = 5 * time.Second

// began asks the past whether an Application has begun what was asked for by a request.
func (r *Reconciler) began(ctx context.Context, app *v1alpha1.Application, request string, since time.Time) (bool, error) {
	if r.Past == nil {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, historyAnswers)
	defer cancel()
	return r.Past.Began(ctx, journal.AppOf(app), request, since)
}

// passed asks the history whether the operation that is said to run is over, or another
// one has begun since. What nobody knows in time is.
func (r *Reconciler) passed(ctx context.Context, app *v1alpha1.Application) bool {
	if r.Past == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, historyAnswers)
	defer cancel()
	at := app.Status.OperationState.StartedAt.Time
	over, err := r.Past.Passed(ctx, journal.AppOf(app), history.ID(string(app.UID), at), at)
	if err != nil {
		r.Log.WarnContext(ctx, "sync waits for a window: the history does not tell whether it is over", "app", app.Name, "error", err)
	}
	return over || err != nil
}
