package logins

import (
	"context"
	"testing"
)

// TestTurn has one who waits give up, and the next one get the turn when it is free.
func TestTurn(t *testing.T) {
	asking := newTurn()
	if !asking.begin(t.Context()) {
		t.Fatal("a free turn was not given")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if asking.begin(ctx) {
		t.Error("somebody who gave up got a turn that was taken")
	}
	asking.end()
	if !asking.begin(t.Context()) {
		t.Error("the turn was not free when it had ended")
	}
}
