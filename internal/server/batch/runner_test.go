package batch

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/test/await"
)

var (
	ann = Owner{Person: "ann"}
	bob = Owner{Person: "bob"}
	eve = Owner{Person: "eve"}
)

func keys(n int) []view.Key {
	out := make([]view.Key, n)
	for i := range out {
		out[i] = view.Key{Namespace: "argocd", Name: "app-" + strconv.Itoa(i)}
	}
	return out
}

// clock is set by hand.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(c.at.Load(), 0) }
func (c *clock) forward(d time.Duration) { c.at.Add(int64(d / time.Second)) }

func want(id string, who Owner, n int, do Do) *Want {
	return &Want{ID: id, Verb: "sync", Owner: who, Keys: keys(n), Do: do, Say: error.Error}
}

func marked(context.Context, view.Key) (string, error) { return "mark", nil }

// until waits for something to be so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	await.Until(t, func(context.Context) error {
		if !so() {
			return fmt.Errorf("never %s", what)
		}
		return nil
	})
}

// comes waits for a channel to be closed.
func comes(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(await.Limit):
		t.Fatalf("never %s", what)
	}
}

// ended waits for the end of a batch.
func ended(t *testing.T, r *Runner, who Owner, id string) (b *Batch) {
	t.Helper()
	until(t, "did batch "+id+" end", func() bool {
		b = r.Get(who, id)
		return b != nil && b.State != Running
	})
	return b
}

func start(t *testing.T, r *Runner, w *Want) {
	t.Helper()
	if _, err := r.Start(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

// gate holds all who come until it is opened, and counts them.
type gate struct {
	mu       sync.Mutex
	now, top int
	open     chan struct{}
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

func (g *gate) pass(context.Context, view.Key) (string, error) {
	g.add(1)
	defer g.add(-1)
	<-g.open
	return "", nil
}

func (g *gate) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now += n
	g.top = max(g.top, g.now)
}

// inside waits until so many are held.
func (g *gate) inside(t *testing.T, n int) {
	t.Helper()
	until(t, fmt.Sprintf("were %d at it", n), func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.now == n
	})
}

// Each is told of by itself: one that fails, or panics, leaves the others.
func TestResults(t *testing.T) {
	r := New(time.Now)
	w := want("a", ann, 4, func(_ context.Context, k view.Key) (string, error) {
		switch k.Name {
		case "app-1":
			return "", errors.New("it is syncing already")
		case "app-2":
			panic("out of order")
		}
		return "mark of " + k.Name, nil
	})
	w.Keys = append(w.Keys, w.Keys[0])
	first, err := r.Start(t.Context(), w)
	if err != nil || first.State != Running || first.Counts.Total != 4 {
		t.Fatalf("it begins as %+v, %v", first, err)
	}
	b := ended(t, r, ann, "a")
	if d := cmp.Diff(Counts{Total: 4, Asked: 2, Failed: 2}, b.Counts); d != "" || b.State != Done || b.Ended.Before(b.Started) {
		t.Errorf("it ends as %s, %s (-want +got):\n%s", b.State, b.Ended, d)
	}
	all := keys(4)
	results := []Result{
		{Key: all[0], Stage: Asked, Mark: "mark of app-0"}, {Key: all[1], Stage: Failed, Error: "it is syncing already"},
		{Key: all[2], Stage: Failed, Error: (&crew.Panic{Type: "string"}).Error()}, {Key: all[3], Stage: Asked, Mark: "mark of app-3"},
	}
	if d := cmp.Diff(results, b.Results); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
}

// A person has a part of the room, however many batches they have; others have
// theirs, and all together the room.
func TestWritesAtOnce(t *testing.T) {
	r, g := New(time.Now), newGate()
	start(t, r, want("a", ann, 50, g.pass))
	start(t, r, want("b", ann, 50, g.pass))
	g.inside(t, atOnceEach)
	start(t, r, want("c", bob, 50, g.pass))
	start(t, r, want("d", eve, 50, g.pass))
	g.inside(t, atOnce)
	close(g.open)
	for id, who := range map[string]Owner{"a": ann, "b": ann, "c": bob, "d": eve} {
		if b := ended(t, r, who, id); b.Counts.Asked != 50 {
			t.Errorf("%s: %+v", id, b.Counts)
		}
	}
	if g.top > atOnce {
		t.Errorf("%d wrote at a time", g.top)
	}
}

// What has begun when a batch is canceled is done; the rest is not tried.
func TestCancel(t *testing.T) {
	r, g := New(time.Now), newGate()
	start(t, r, want("a", ann, 100, g.pass))
	g.inside(t, atOnceEach)
	r.Cancel(bob, "a")
	if b := r.Get(ann, "a"); b.State != Running {
		t.Errorf("somebody else makes it %s", b.State)
	}
	r.Cancel(ann, "a")
	r.Cancel(ann, "none")
	close(g.open)
	b := ended(t, r, ann, "a")
	if d := cmp.Diff(Counts{Total: 100, Asked: atOnceEach, Skipped: 100 - atOnceEach}, b.Counts); d != "" || b.State != Canceled {
		t.Errorf("%s (-want +got):\n%s", b.State, d)
	}
	r.Cancel(ann, "a")
	if b := r.Get(ann, "a"); b.State != Canceled || b.Results[99].Stage != Skipped {
		t.Errorf("it is %s, its last %s", b.State, b.Results[99].Stage)
	}
}

// The end of the server waits for what has begun, says what was not, and lets
// nothing more begin.
func TestShutdown(t *testing.T) {
	r, g := New(time.Now), newGate()
	ctx, shut := context.WithCancel(t.Context())
	down := make(chan struct{})
	go func() {
		defer close(down)
		r.Run(ctx)
	}()
	var told *Batch
	long := want("a", ann, 100, g.pass)
	long.Ended = func(b *Batch) { told = b }
	start(t, r, long)
	start(t, r, want("done", bob, 1, marked))
	ended(t, r, bob, "done")
	g.inside(t, atOnceEach)
	shut()
	until(t, "was it closed", func() bool { return !r.isOpen() })
	if _, err := r.Start(t.Context(), want("b", bob, 1, marked)); !errors.Is(err, ErrClosed) {
		t.Errorf("one more: %v", err)
	}
	select {
	case <-down:
		t.Error("it did not wait for what has begun")
	default:
	}
	close(g.open)
	comes(t, "was it down", down)
	if b := r.Get(ann, "a"); b.State != Interrupted || b.Counts.Asked != atOnceEach || b.Counts.Skipped != 100-atOnceEach {
		t.Errorf("it is %s: %+v", b.State, b.Counts)
	}
	if told == nil || told.State != Interrupted || told.Counts.Skipped == 0 {
		t.Errorf("it was told that %+v", told)
	}
	if b := r.Get(bob, "done"); b.State != Done {
		t.Errorf("what had ended is %s", b.State)
	}
}

func (r *Runner) isOpen() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.closed
}

// The request that asked for it is over long before it ends.
func TestOutlivesTheRequest(t *testing.T) {
	type key struct{}
	r := New(time.Now)
	ctx, gone := context.WithCancel(context.WithValue(t.Context(), key{}, "who"))
	gone()
	seen := make(chan any, 1)
	if _, err := r.Start(ctx, want("a", ann, 1, func(ctx context.Context, _ view.Key) (string, error) {
		seen <- ctx.Value(key{})
		return "", ctx.Err()
	})); err != nil {
		t.Fatal(err)
	}
	if b := ended(t, r, ann, "a"); b.Counts.Asked != 1 || <-seen != "who" {
		t.Errorf("%+v", b)
	}
}

// The end of the server does not wait for a write that has no end.
func TestShutdownCutsOff(t *testing.T) {
	r := New(time.Now)
	r.grace = time.Millisecond
	ctx, shut := context.WithCancel(t.Context())
	begun := make(chan struct{})
	start(t, r, want("a", ann, 1, func(ctx context.Context, _ view.Key) (string, error) {
		close(begun)
		<-ctx.Done()
		return "", context.Cause(ctx)
	}))
	comes(t, "did it begin", begun)
	shut()
	r.Run(ctx)
	if b := r.Get(ann, "a"); b.Counts.Failed != 1 {
		t.Errorf("it is %s: %+v", b.State, b.Counts)
	}
}

// Nobody sees what others do.
func TestOnesOwn(t *testing.T) {
	r := New(time.Now)
	key := ann
	key.Key = "ci"
	start(t, r, want("a", ann, 1, marked))
	start(t, r, want("b", key, 1, marked))
	for reason, tc := range map[string]struct {
		who        Owner
		sees, list int
	}{
		"who began it": {ann, 1, 1}, "a key of theirs": {key, 0, 1}, "somebody": {bob, 0, 0},
	} {
		if sees := r.Get(tc.who, "a") != nil; sees != (tc.sees == 1) || len(r.List(tc.who)) != tc.list {
			t.Errorf("%s: sees it: %t, has %d", reason, sees, len(r.List(tc.who)))
		}
	}
	if list := r.List(ann); list[0].ID != "a" || list[0].Results != nil {
		t.Errorf("ann has %+v", list[0])
	}
	ended(t, r, ann, "a")
	ended(t, r, key, "b")
}

// Keys are no further people: what bounds somebody bounds them with all their keys.
func TestBoundsAreOfThePerson(t *testing.T) {
	r, g := New(time.Now), newGate()
	for i := range runningOf {
		of := ann
		of.Key = strconv.Itoa(i)
		start(t, r, want(strconv.Itoa(i), of, 10, g.pass))
	}
	if _, err := r.Start(t.Context(), want("more", ann, 1, g.pass)); !errors.Is(err, ErrBusy) {
		t.Errorf("one more of ann: %v", err)
	}
	start(t, r, want("bob's", bob, 10, g.pass))
	g.inside(t, atOnce)
	working := 0
	for _, one := range r.Get(bob, "bob's").Results {
		if one.Stage == Working {
			working++
		}
	}
	if working != atOnceEach {
		t.Errorf("%d of bob's are at it", working)
	}
	close(g.open)
	ended(t, r, bob, "bob's")
}

func TestBounds(t *testing.T) {
	c, g := &clock{}, newGate()
	r := New(c.now)
	for i := range runningOf {
		start(t, r, want(strconv.Itoa(i), ann, 1, g.pass))
	}
	if _, err := r.Start(t.Context(), want("more", ann, 1, g.pass)); !errors.Is(err, ErrBusy) {
		t.Errorf("one more of ann: %v", err)
	}
	start(t, r, want("bob's", bob, 1, marked))
	ended(t, r, bob, "bob's")
	close(g.open)
	for i := range runningOf {
		ended(t, r, ann, strconv.Itoa(i))
	}
	for i := range keptOf {
		id := "later " + strconv.Itoa(i)
		start(t, r, want(id, ann, 1, marked))
		ended(t, r, ann, id)
	}
	if r.Get(ann, "0") != nil || r.Get(ann, "later 0") == nil || r.Get(bob, "bob's") == nil {
		t.Error("the oldest of ann are forgotten, and no one else's")
	}
	if n := len(r.List(ann)); n != keptOf {
		t.Errorf("%d of ann are kept", n)
	}
	c.forward(keptFor + time.Second)
	if n := len(r.List(ann)) + len(r.List(bob)); n != 0 {
		t.Errorf("%d are kept for too long", n)
	}
}
