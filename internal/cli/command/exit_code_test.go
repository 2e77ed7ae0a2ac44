package command

import (
	"errors"
	"fmt"
	"testing"
)

func TestErrorsHaveTheirExitCodes(t *testing.T) {
	for want, err := range map[int]error{
		ExitFine: nil, ExitChanges: ErrChanges, ExitUsage: Usagef("no"), ExitFailed: ErrSaid, ExitInterrupted: errors.Join(ErrInterrupted, nil), ExitLate: fmt.Errorf("application shop: %w", Latef("not done")),
	} {
		if got := ExitCode(err); got != want {
			t.Errorf("%v: exits with %d, not %d", err, got, want)
		}
	}
}
