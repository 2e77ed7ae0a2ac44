package logins

import "context"

// turn lets one question be asked at a time: a helper may want to unlock
// something, and the next one finds its answer. Who gives up waits no longer.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// begin waits for the turn; false when the context is done before.
func (t turn) begin(ctx context.Context) bool {
	select {
	case t <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t turn) end() { <-t }
