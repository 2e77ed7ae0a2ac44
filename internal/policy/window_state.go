package policy

import (
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// after is the least time past an edge: at the edge itself nothing has changed yet.
const after = time.Millisecond

// NextChange is the next instant at which the windows that concern an
// application may say something else of it; zero when there is none.
func NextChange(p *v1alpha1.AppProject, app *v1alpha1.Application, now time.Time) time.Time {
	all, err := windowsOf(p, app)
	if err != nil {
		return time.Time{}
	}
	return nextOf(all, now)
}

func nextOf(all []window, now time.Time) time.Time {
	var next time.Time
	for i := range all {
		if on := all[i].hours.edge(now); !on.IsZero() && (next.IsZero() || on.Before(next)) {
			next = on
		}
	}
	if next.IsZero() {
		return next
	}
	return next.Add(after)
}

// maxEdges bounds the search for an opening.
const maxEdges = 2000

// Opening is when syncs may run again.
type Opening struct {
	// Auto and Manual are zero when that is not in sight, and when a window that
	// nobody can read forbids every sync.
	Auto, Manual time.Time
}

// Opens tells when an application may sync: now, or the next time that the
// windows let it.
func Opens(p *v1alpha1.AppProject, app *v1alpha1.Application, now time.Time) Opening {
	var out Opening
	all, err := windowsOf(p, app)
	if err != nil {
		return out
	}
	for range maxEdges {
		w := judgeAt(p, all, now, time.Time{})
		if w.Auto == nil && out.Auto.IsZero() {
			out.Auto = now
		}
		if w.Manual == nil && out.Manual.IsZero() {
			out.Manual = now
		}
		if now = nextOf(all, now); now.IsZero() || !out.Auto.IsZero() && !out.Manual.IsZero() {
			return out
		}
	}
	return out
}
