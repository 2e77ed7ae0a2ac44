package backlog

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/test/await"
)

func made(t *testing.T) *Backlog {
	t.Helper()
	b, ok := New("test", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]()).(*Backlog)
	if !ok {
		t.Fatal("the queue is of another type")
	}
	return b
}

func item(name string) (r reconcile.Request) {
	r.Name = name
	return r
}

// TestEndsWhileItHandsOut shuts down queues whose workers take and add items:
// the library's own blocks within the first few rounds.
func TestEndsWhileItHandsOut(t *testing.T) {
	for round := range 200 {
		b := made(t)
		var begun, ended sync.WaitGroup
		for w := range 20 {
			begun.Add(1)
			ended.Go(func() {
				begun.Done()
				for i := 0; ; i++ {
					priority := i % 7
					b.AddWithOpts(priorityqueue.AddOpts{Priority: &priority}, item(strconv.Itoa(w)+"/"+strconv.Itoa(i)))
					got, end := b.Get()
					if end {
						return
					}
					b.Done(got)
				}
			})
		}
		begun.Wait()
		b.ShutDown()
		b.ShutDown()
		done := make(chan struct{})
		go func() { ended.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(await.Limit):
			t.Fatalf("round %d: a worker still waits", round)
		}
	}
}

func TestHandsOut(t *testing.T) {
	b := made(t)
	low, high := -100, 5
	b.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, item("listed"))
	b.AddWithOpts(priorityqueue.AddOpts{Priority: &high}, item("urgent"))
	b.Add(item("changed"))
	if n := b.Len(); n != 3 {
		t.Fatalf("%d items, want 3", n)
	}
	for _, want := range []string{"urgent", "changed", "listed"} {
		got, ended := b.Get()
		if ended || got.Name != want {
			t.Fatalf("%q (ended %v), want %q", got.Name, ended, want)
		}
		b.Done(got)
	}
	b.Add(item("left"))
	if b.ShuttingDown() {
		t.Error("it ends before it is told to")
	}
	b.ShutDownWithDrain()
	if _, ended := b.Get(); !ended || !b.ShuttingDown() {
		t.Error("it hands out after its end")
	}
}

// TestWaitingIsLetGo ends queues that have nothing to hand out.
func TestWaitingIsLetGo(t *testing.T) {
	b := made(t)
	var workers sync.WaitGroup
	for range 5 {
		workers.Go(func() {
			if got, ended := b.Get(); !ended {
				t.Errorf("got %v of an empty queue", got)
			}
		})
	}
	b.ShutDown()
	workers.Wait()
}
