package watched

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/follow"
)

// faulty panics at its first watch.
type faulty struct {
	*hub

	met bool
}

func (f *faulty) Watch(ctx context.Context, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
	if !f.met {
		f.met = true
		panic("a fault")
	}
	return f.hub.Watch(ctx, list, opts...)
}

// TestPanicOfAWatchIsTriedAgain: it is told as other failures are.
func TestPanicOfAWatchIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(w *Watches) { w.hub = &faulty{hub: w.hub.(*hub)} })
		defer f.stop()
		f.Of(user("one"), []Target{configMap("a")})
		synctest.Wait()
		if got := f.hub.take(); len(got) > 0 {
			t.Errorf("it was asked for %v", got)
		}
		time.Sleep(2 * follow.Pause)
		synctest.Wait()
		if got := f.hub.take(); len(got) != 1 {
			t.Errorf("it is watched %d times after the panic", len(got))
		}
		if log := f.log.String(); !strings.Contains(log, "changes are seen late") {
			t.Errorf("the log does not tell: %s", log)
		}
	})
}
