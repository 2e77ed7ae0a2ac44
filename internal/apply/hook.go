package apply

import (
	"context"
	"net/http"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// writeHook makes the object of a hook. It is made of nothing but what the plan
// has seen and what has its own mark: a hook's object is deleted sooner or
// later, so an apply must not make one of an object that somebody else has made
// in the meantime.
func (a *Applier) writeHook(ctx context.Context, c Cluster, p paths, action *gitops.Action) (answer, error) {
	if action.Recreate {
		got, err := a.recreate(ctx, c, p, action)
		return made(got, err, action.Key)
	}
	there, err := a.heldBy(ctx, c, p, action)
	switch {
	case err != nil:
		return answer{}, err
	case there == nil:
		got, err := a.apply(ctx, c, p, action, forReal)
		return made(got, err, action.Key)
	case action.Live == nil: // the sync made it before the engine was started again
		return a.apply(ctx, c, p, action, forReal)
	}
	return a.writeOver(ctx, c, p, action)
}

// heldBy is the object that has a hook's name now; nil when there is none. It
// has to be the one that the plan has seen, and whose it was then.
func (a *Applier) heldBy(ctx context.Context, c Cluster, p paths, action *gitops.Action) (*gitops.Live, error) {
	if action.Live == nil {
		return a.unplanned(ctx, c, p, action)
	}
	object, err := a.get(ctx, c, p.object)
	if isGone(err) {
		return nil, nil //nolint:nilnil // the name is free
	}
	if err != nil {
		return nil, err
	}
	now := a.options.Convert(c.Server(), object)
	if now.UID != action.Live.UID || !sameOwnership(action.Live, now) {
		return nil, unseen(action.Key)
	}
	return now, nil
}

// made tells of a hook whose name was free whether its object was made: another
// one may have come between the look and the apply. A request whose first answer
// was lost finds what it made itself.
func made(got answer, err error, k gitops.Key) (answer, error) {
	if err == nil && got.code != http.StatusCreated && !got.again {
		return answer{deleted: got.deleted}, unseen(k)
	}
	return got, err
}
