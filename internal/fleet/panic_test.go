package fleet

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// faultyServer panics when it is asked.
type faultyServer struct{ lateServer }

func (*faultyServer) ServerVersion() (*version.Info, error) { panic("a fault") }

// TestPanicOfDiscovery is an error of who asks, and the next may ask.
func TestPanicOfDiscovery(t *testing.T) {
	c := newCatalog(&faultyServer{})
	for range 2 {
		var broke *crew.Panic
		if _, err := c.refresh(t.Context()); !errors.As(err, &broke) {
			t.Errorf("got %v", err)
		}
	}
}

// TestPanicOfAWatch has an object that cannot be converted at first: it is why the
// watch is not complete, it holds no lock, and the next list has all.
func TestPanicOfAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		o.SetNamespace("shop")
		o.SetName("a")
		o.SetAnnotations(map[string]string{gitops.AnnotationTracking: "app:/ConfigMap:shop/a"})
		var broken atomic.Bool
		broken.Store(true)
		convert := func(o *unstructured.Unstructured) *gitops.Live {
			if broken.Load() {
				panic("a fault")
			}
			return &gitops.Live{Key: gitops.KeyOf(o), Tracking: o.GetAnnotations()[gitops.AnnotationTracking]}
		}
		from := source{
			list: func(context.Context, metav1.ListOptions) ([]metav1.Object, metav1.ListInterface, error) {
				return []metav1.Object{o}, &metav1.ListMeta{ResourceVersion: "5"}, nil
			},
			watch: func(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
				events := watch.NewFake()
				context.AfterFunc(ctx, events.Stop)
				return events, nil
			},
		}
		l := newLink(0)
		l.up = true
		to := newStore(configMaps, convert, func(string, gitops.Key) {}, func() {})
		w := newWatcher(&Cluster{link: l}, from, to, "configmaps")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); w.run(ctx) }()
		var broke *crew.Panic
		if err := w.outcome(ctx); !errors.As(err, &broke) {
			t.Errorf("the watch says %v", err)
		}
		synctest.Wait()
		if n, _ := to.size(); n != 0 {
			t.Errorf("%d objects are there", n)
		}
		broken.Store(false)
		sleep(ctx, lastPause)
		if err := w.outcome(ctx); err != nil {
			t.Errorf("after that the watch says %v", err)
		}
		if n, _ := to.size(); n != 1 {
			t.Errorf("%d objects are there", n)
		}
		cancel()
		<-ended
	})
}
