package trail

import (
	"context"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// How many entries are on their way to the disk at a time, and how many of one
// person: they are written one after the other, and who writes without end would
// keep others waiting for longer than a write may take.
const (
	turnsAtOnce = 8
	turnsEach   = 1
	// turnTime is how long somebody waits for the end of their own writes.
	turnTime = 10 * time.Second
)

// signIns is whose turn it is while somebody becomes known: those of one network
// have one, which has nothing to do with what they write.
const signIns = "sign-in\x00"

// append adds an entry of somebody when it is their turn.
func (t *Trail) append(ctx context.Context, u *auth.User, e *audit.Entry) (*audit.Entry, error) {
	whose := u.Person()
	if u == nil || e.Verb == "sign-in" {
		whose = signIns + origin.Network(e.From.Address)
	}
	waiting, cancel := context.WithTimeout(ctx, turnTime)
	defer cancel()
	whose, err := t.turns.Take(waiting, slots.Of(whose))
	if err != nil {
		return nil, gitops.Problemf(gitops.Unreachable, "too many writes of yours wait for the audit, and nothing is done that it does not tell of").
			Do("send fewer at a time")
	}
	defer t.turns.Give(whose)
	return t.keeper.Append(ctx, e)
}
