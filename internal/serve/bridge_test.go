package serve

import (
	"context"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Who asks while the bridge is worked out waits no longer than they want, the
// work goes on without them, and the old one is shown while there is none that
// is newer.
func TestBridgeIsMadeOnce(t *testing.T) {
	now := time.Unix(1000, 0)
	begun, end := make(chan struct{}, 1), make(chan struct{})
	b := &bridger{now: func() time.Time { return now }, make: func() (*api.Bridge, error) {
		begun <- struct{}{} // a second one at a time has no room
		select {
		case <-end:
			return &api.Bridge{At: now}, nil
		case <-t.Context().Done():
			return nil, t.Context().Err()
		}
	}}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if _, err := b.Bridge(gone); err == nil {
			t.Fatal("who has gone away is told something")
		}
	}
	end <- struct{}{}
	first, err := b.Bridge(t.Context())
	if err != nil || len(begun) != 1 {
		t.Fatalf("%v after %d pieces of work", err, len(begun))
	}
	<-begun
	now = now.Add(bridgeFor)
	for range 3 {
		if old, err := b.Bridge(gone); err != nil || old != first {
			t.Errorf("while a new one is worked out: %v, %v", old, err)
		}
	}
	<-begun
}
