package seat

import (
	"context"
	"errors"
	"testing"
)

// chair notes what is waited for.
type chair struct{ hosts []string }

func (c *chair) Away(_ context.Context, host string, wait func() error) error {
	c.hosts = append(c.hosts, host)
	return wait()
}

// TestAway is away once for what waits for something in turn.
func TestAway(t *testing.T) {
	c := &chair{}
	inner := func(ctx context.Context) (int, error) {
		return Away(ctx, "inner", func(context.Context) (int, error) { return 3, errors.ErrUnsupported })
	}
	for name, ctx := range map[string]context.Context{"with a seat": With(t.Context(), c), "without one": t.Context()} {
		if n, err := Away(ctx, "outer", inner); n != 3 || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	if len(c.hosts) != 1 || c.hosts[0] != "outer" {
		t.Errorf("it was away for %v", c.hosts)
	}
}
