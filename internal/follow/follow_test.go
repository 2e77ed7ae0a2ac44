package follow

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// rare is an API server that does not answer at first.
type rare struct {
	client.WithWatch

	fails int
	lists []time.Time
}

func (r *rare) List(context.Context, client.ObjectList, ...client.ListOption) error {
	r.lists = append(r.lists, time.Now())
	if len(r.lists) <= r.fails {
		return errors.New("connection refused")
	}
	return nil
}

func (*rare) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	return nil, errors.New("connection reset")
}

// What the API server tells when it is back is followed from then on, however
// long it was away.
func TestFollowingIsSoonAfterAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := &rare{fails: 9}
		m := &ConfigMap{Put: func(map[string]string) bool { return false }, Failed: func(error) {}}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		m.Follow(ctx, hub)
		if out, in := hub.lists[9].Sub(hub.lists[8]), hub.lists[11].Sub(hub.lists[10]); out != MaxPause || in != 2*Pause {
			t.Errorf("it is read after %s while the API server is away, and then after %s", out, in)
		}
	})
}
