package fleet

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// silentServer does not answer until it is released.
type silentServer struct {
	lateServer

	release chan struct{}
}

func (s *silentServer) ServerVersion() (*version.Info, error) {
	<-s.release
	return nil, errors.New("released")
}

// TestKindsAreNotWaitedForLongerThanAsked: a client of discovery takes no
// context, and who asks for kinds has one.
func TestKindsAreNotWaitedForLongerThanAsked(t *testing.T) {
	s := &silentServer{release: make(chan struct{})}
	c := newCatalog(s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, ask := range map[string]func() (*kinds, error){
		"get":     func() (*kinds, error) { return c.get(ctx) },
		"having":  func() (*kinds, error) { return c.having(ctx, schema.GroupKind{Kind: "Widget"}) },
		"refresh": func() (*kinds, error) { return c.refresh(ctx) },
	} {
		if _, err := ask(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	close(s.release)
	c.idle()
}
