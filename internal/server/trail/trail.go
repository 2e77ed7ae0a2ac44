package trail

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Keeper keeps entries; a store.Store is one.
type Keeper interface {
	// Append returns when the entry is on the disk.
	Append(ctx context.Context, e *audit.Entry) (*audit.Entry, error)
	// Note takes one that nobody waits for.
	Note(e *audit.Entry)
}

// Trail tells a keeper. A nil one tells nobody: no audit is kept.
type Trail struct {
	keeper  Keeper
	flood   *flood
	details *details
	turns   *slots.Slots
	log     *slog.Logger
}

// New makes a trail.
func New(k Keeper, log *slog.Logger) *Trail {
	return &Trail{keeper: k, flood: newFlood(), details: newDetails(), turns: slots.Shares(turnsAtOnce, turnsEach), log: log}
}

// Untold is that a write could not be put into the audit, and was not done.
type Untold struct{ error }

// Wait is how long to wait after Untold: whoever keeps the audit may be back.
const Wait = 5 * time.Second

// Unwrap returns why.
func (u Untold) Unwrap() error { return u.error }

// Begin puts a write into the audit before it is done, and leaves in the entry
// where. What cannot be put there is not to be done: the error says so. What
// changes nothing that lasts has an entry within bounds, and is counted beyond.
func (t *Trail) Begin(ctx context.Context, u *auth.User, e *audit.Entry) error {
	if t == nil {
		return nil
	}
	begun := t.entry(ctx, u, e)
	begun.Outcome = audit.Allowed
	if fleeting[begun.Verb] && !t.flood.admit(u, &begun) {
		return nil
	}
	begun = t.details.of(u, begun)
	kept, err := t.append(ctx, u, &begun)
	if err != nil {
		return Untold{err}
	}
	e.Sequence = kept.Sequence
	return nil
}

// Failed tells that something was not done, and why: somebody may not, or it
// did not work.
func (t *Trail) Failed(ctx context.Context, u *auth.User, e *audit.Entry, cause error) {
	if t == nil || cause == nil || errors.As(cause, &Untold{}) {
		return
	}
	failed := t.entry(ctx, u, e)
	failed.Of, failed.Outcome, failed.Message = e.Sequence, audit.Failed, cause.Error()
	if gitops.IsProblem(cause, gitops.Forbidden, gitops.Refused) {
		failed.Outcome = audit.Denied
	}
	t.refused(ctx, u, &failed)
}

// Ended tells how something ended that Begin told of, and that lasted: the
// entry says it in its message.
func (t *Trail) Ended(ctx context.Context, u *auth.User, e *audit.Entry) {
	if t == nil {
		return
	}
	ended := t.entry(ctx, u, e)
	ended.Of, ended.Outcome = e.Sequence, audit.Allowed
	t.refused(ctx, u, &ended)
}

// refused adds what was not done, within bounds: trying costs nothing, and must
// neither fill the disk nor push out what others did.
func (t *Trail) refused(ctx context.Context, u *auth.User, e *audit.Entry) {
	if e.Of == 0 && !t.flood.admit(u, e) {
		return
	}
	ctx = context.WithoutCancel(ctx) // who has gone away has still tried
	told := t.details.of(u, *e)
	if _, err := t.append(ctx, u, &told); err != nil {
		t.keeper.Note(&told)
	}
}

// entry adds who asked, and what is known of the request.
func (t *Trail) entry(ctx context.Context, u *auth.User, e *audit.Entry) audit.Entry {
	out := *e
	if u != nil {
		out.Who = audit.Who{Name: u.Name, Via: string(u.Via), Subject: u.Subject(), Key: u.Key}
	}
	if r := requestOf(ctx); r != nil {
		if !r.told { // of what is detached nobody writes: it is of many goroutines
			r.told = true
		}
		out.From, out.Reason, out.Trace = r.from, r.reason, r.trace
	}
	return out
}
