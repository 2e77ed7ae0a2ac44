package approval

import (
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// Unconfirmed are the objects that ask before they are deleted, and whose turn
// it is, in the order of their names.
func Unconfirmed(app *v1alpha1.Application) []gitops.Key {
	since := askedAt(app)
	given, err := time.Parse(time.RFC3339, app.Annotations[v1alpha1.AnnotationDeletionApproved])
	if since.IsZero() || err == nil && !given.Before(since) {
		return nil
	}
	var out []gitops.Key
	for _, r := range app.Status.Resources {
		if r.RequiresDeletionConfirmation && (r.RequiresPruning || app.DeletionTimestamp != nil) {
			out = append(out, gitops.Key{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name})
		}
	}
	return sorted(out)
}

// Confirm lets the objects go that ask for it, if they are those of a digest.
// It counts for the sync or deletion that is under way, and for no later one.
func Confirm(app *v1alpha1.Application, digest string, now time.Time) error {
	asking := Unconfirmed(app)
	if len(asking) == 0 {
		return gitops.Problemf(gitops.NotReady, "nothing of application %s waits for a confirmation", app.Name)
	}
	if is := guard.Digest(NamesOf(asking)); is != digest {
		return gitops.Problemf(gitops.NotReady, "other objects of application %s wait for a confirmation now: their digest is %s, not %s", app.Name, is, digest).
			Do("look at the list as it is now, and confirm that")
	}
	if since := askedAt(app); now.Before(since) {
		now = since // the hub's clock is ahead of ours
	}
	annotate(app, v1alpha1.AnnotationDeletionApproved, now.UTC().Format(time.RFC3339))
	return nil
}

// askedAt is when what waits for a confirmation began; zero when nothing does.
func askedAt(app *v1alpha1.Application) time.Time {
	if app.DeletionTimestamp != nil {
		return app.DeletionTimestamp.Time
	}
	if st := app.Status.OperationState; st.Runs() {
		return st.StartedAt.Time
	}
	return time.Time{}
}
