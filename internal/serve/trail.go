package serve

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// newTrail puts what is asked of the API into the audit. Who wants no history
// has none. Where it is wanted and could not be opened, nothing is written
// that it would not tell of.
func newTrail(o *Options) *trail.Trail {
	if o.NoHistory {
		return nil
	}
	if o.History == nil {
		return trail.New(noAudit{}, o.Log)
	}
	return trail.New(o.History, o.Log)
}

// noAudit is one that could not be opened.
type noAudit struct{}

// Append refuses.
func (noAudit) Append(context.Context, *audit.Entry) (*audit.Entry, error) {
	return nil, gitops.Problemf(gitops.Unreachable, "the audit could not be opened when the engine started, and nothing is done that it does not tell of").
		Do("see the engine's log for why no history is kept")
}

// Note does nothing: the log says that no history is kept.
func (noAudit) Note(*audit.Entry) {}
