package serve

import (
	"context"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/server/environment"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// veiledSyncs is of how many different renderings that were synced last what
// was decrypted is looked for: it may live on in what they left.
const veiledSyncs = 5

// syncsBack is how far back these are looked for. Syncs of another Application that had
// the name count as well: objects may be left of them, and hiding more tells nothing.
const syncsBack = 100

// unveiled is why an object is not shown: nobody can tell what was decrypted
// in it from the rest.
func unveiled(why error) error {
	return gitops.Problemf(gitops.NotReady, "not shown: what was decrypted for the application is not known yet: %w", why).
		Do("try again when it can be rendered, or was synced")
}

// veil hides what was decrypted for an application: for what Git has now, nil
// where that could not be rendered because of why, and for its last syncs. The
// error says that it is not known what is to be hidden.
func (l looker) veil(ctx context.Context, app *v1alpha1.Application, now *plan.Set, why error) (redact.Known, error) {
	if now != nil && !l.on.Decrypts {
		return redact.NewKnown(now.Hidden), nil
	}
	before, known, err := l.decryptedBefore(ctx, app)
	switch {
	case !l.on.Decrypts: // what a former key opened is hidden as far as it is known
	case err != nil:
		return redact.Known{}, unveiled(err)
	case now == nil && !known:
		return redact.Known{}, unveiled(why)
	}
	if now != nil {
		before = slices.Concat(now.Hidden, before)
	}
	return redact.NewKnown(before), nil
}

// veilNow is the veil for what does not need what Git has otherwise.
func (l looker) veilNow(ctx context.Context, app *v1alpha1.Application) (redact.Known, error) {
	if !l.on.Decrypts {
		return redact.Known{}, nil
	}
	set, err := l.on.Stages.Desired(ctx, app)
	if err != nil {
		set = nil
	}
	return l.veil(ctx, app, set, err)
}

// decryptedBefore are the texts that were decrypted for the last syncs.
func (l looker) decryptedBefore(ctx context.Context, app *v1alpha1.Application) (_ []string, known bool, err error) {
	if l.on.History == nil {
		return nil, false, nil
	}
	return past{Store: l.on.History}.decrypted(ctx, environment.Side{Key: view.Key{Namespace: app.Namespace, Name: app.Name}})
}

// decrypted are the texts that were decrypted for the last syncs of an
// Application, those that failed too. It is known where one of them is kept.
func (p past) decrypted(ctx context.Context, side environment.Side) (texts []string, known bool, err error) {
	list, err := p.List(ctx, side.Namespace, side.Name, syncsBack)
	if err != nil {
		return nil, false, err
	}
	seen := map[string]bool{"": true} // a sync without manifests
	for i := range list {
		if s := &list[i]; !seen[s.Rendering] && len(seen) <= veiledSyncs {
			seen[s.Rendering] = true
			kept, err := p.Kept(ctx, s.ID)
			if notKept(err) {
				continue
			}
			if err != nil {
				return nil, false, err
			}
			texts, known = append(texts, kept.Rendering.Hidden...), true
		}
	}
	return texts, known, nil
}

// notKept reports whether the manifests of a sync are not there any more.
func notKept(err error) bool {
	return gitops.IsProblem(err, gitops.NotFound)
}
