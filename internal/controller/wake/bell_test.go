package wake

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// added is a queue that keeps what is put into it.
type added struct {
	Queue

	names  []string
	pauses []time.Duration
}

func (a *added) Add(r reconcile.Request) { a.AddAfter(r, 0) }

func (a *added) AddAfter(r reconcile.Request, pause time.Duration) {
	a.names, a.pauses = append(a.names, r.Name), append(a.pauses, pause)
}

func name(n string) types.NamespacedName { return types.NamespacedName{Namespace: "argocd", Name: n} }

func TestBell(t *testing.T) {
	cases := map[string]struct {
		reason        string
		before, after func(*Bell)
		names         []string
		pauses        []time.Duration
	}{
		"silent": {reason: "nobody rang"},
		"early":  {reason: "what was rung before the start is not lost", before: func(b *Bell) { b.Ring(name("a")); b.RingAfter(name("b"), time.Hour) }, names: []string{"a", "b"}, pauses: []time.Duration{0, 0}},
		"twice":  {reason: "a name that is rung often before the start is kept once", before: func(b *Bell) { b.Ring(name("a")); b.Ring(name("a")) }, names: []string{"a"}, pauses: []time.Duration{0}},
		"late":   {reason: "afterwards the pause is the queue's", after: func(b *Bell) { b.Ring(name("a")); b.RingAfter(name("b"), time.Hour) }, names: []string{"a", "b"}, pauses: []time.Duration{0, time.Hour}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			var b Bell
			if c.before != nil {
				c.before(&b)
			}
			q := &added{}
			if err := b.Start(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			if c.after != nil {
				c.after(&b)
			}
			if diff := cmp.Diff(c.names, q.names); diff != "" {
				t.Errorf("%s: names (-want +got):\n%s", c.reason, diff)
			}
			if diff := cmp.Diff(c.pauses, q.pauses); diff != "" {
				t.Errorf("%s: pauses (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func TestRingsInAPauseAreOne(t *testing.T) {
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	var b Bell
	if err := b.Start(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		b.Ring(name("a"))
	}
	b.Ring(name("z"))
	var got []string
	for range 2 {
		r, _ := q.Get()
		got = append(got, r.Name)
		q.Done(r)
	}
	if diff := cmp.Diff([]string{"a", "z"}, got); diff != "" {
		t.Errorf("twenty rings are not one look (-want +got):\n%s", diff)
	}
}

// TestPacedRings: who rings without end is looked at after a pause, and others are not.
func TestPacedRings(t *testing.T) {
	q := &added{}
	var b Bell
	if err := b.Start(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	ring := b.Paced(NewPace[types.NamespacedName](2, time.Hour))
	for _, n := range []string{"a", "a", "a", "b"} {
		ring(name(n))
	}
	if q.pauses[0] > 0 || q.pauses[1] > 0 || q.pauses[2] < time.Minute || q.pauses[3] > 0 {
		t.Errorf("the pauses are %v", q.pauses)
	}
}
