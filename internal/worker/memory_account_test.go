package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/detector"
)

// TestAccountOfAllPools: workers of several pools hold no more than there is,
// and idle ones of one go when another needs their place.
func TestAccountOfAllPools(t *testing.T) {
	a := newAccount(3 * bound())
	var pools []*Pool
	for range 4 {
		p := newPool(testKind, Limits{Memory: bound(), Parallel: 4, Time: time.Hour}, a)
		t.Cleanup(p.Close)
		pools = append(pools, p)
		if _, text, err := say(t.Context(), p, "echo", "x"); text != "x" || err != nil {
			t.Fatalf("%q, %v", text, err)
		}
		if a.busy != 0 || a.rest > a.most || len(a.of) != 0 {
			t.Fatalf("%d busy and %d idle of %d", a.busy, a.rest, a.most)
		}
	}
	if n := pools[0].Fits(); n != 3 {
		t.Errorf("%d workers fit", n)
	}
	if len(pools[0].idle) != 0 || len(pools[3].idle) != 1 || len(a.idle) != 3 {
		t.Error("the worker that was idle for longest is not the one that went")
	}
}

// TestShares tells what a worker has of little memory and of much.
func TestShares(t *testing.T) {
	for name, tc := range map[string]struct {
		reason       string
		most, wanted int64
		want         int64
	}{
		"Much":   {"as much as it should have", 8 << 30, 512 << 20, 512 << 20},
		"More":   {"more, where three of them fit", 8 << 30, 1 << 30, 1 << 30},
		"Third":  {"a third", 768 << 20, 512 << 20, 256 << 20},
		"Little": {"as much as one needs, where two fit", 384 << 20, 512 << 20, 192 << 20},
		"Half":   {"half", 256 << 20, 512 << 20, 128 << 20},
		"Less":   {"what it should have, where that is less", 768 << 20, 64 << 20, 64 << 20},
	} {
		if got := newAccount(tc.most).limit(tc.wanted); got != tc.want {
			t.Errorf("%s: %s: %d MiB", name, tc.reason, got>>20)
		}
	}
}

// TestTurns orders those who wait for memory of which 4 shares of 1 are there.
func TestTurns(t *testing.T) {
	task := func(project string) *turn { return &turn{project: project, bytes: 1} }
	for name, tc := range map[string]struct {
		reason  string
		busy    []*turn
		waiting []*turn
		next    int
	}{
		"First":   {"who came first", nil, []*turn{task("red"), task("blue")}, 0},
		"Least":   {"who has least", []*turn{task("red")}, []*turn{task("red"), task("blue")}, 1},
		"Project": {"one has all but one share", []*turn{task("red"), task("red"), task("red")}, []*turn{task("red")}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(4)
			a.share, a.waiting = 1, tc.waiting
			for _, b := range tc.busy {
				a.count(b.project, b.bytes)
			}
			if got := a.next(); got != tc.next {
				t.Errorf("%s: %d, want %d", tc.reason, got, tc.next)
			}
		})
	}
}

// TestGivenUp has one who waits in front of others give up, and they go on.
func TestGivenUp(t *testing.T) {
	a := newAccount(4)
	a.share = 1
	one := "red"
	if err := a.take(t.Context(), one, 3); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	large, small := make(chan error), make(chan error)
	go func() { large <- a.take(ctx, "blue", 2) }()
	waits(t, a, 1)
	go func() { small <- a.take(t.Context(), "green", 1) }()
	waits(t, a, 2)
	cancel()
	if err := <-large; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up has %v", err)
	}
	if err := <-small; err != nil {
		t.Errorf("who waited behind has %v", err)
	}
	a.give(one, 3)
	a.give("green", 1)
	if a.busy != 0 || len(a.of) != 0 {
		t.Errorf("%d is left", a.busy)
	}
}

// waits until so many do.
func waits(t *testing.T, a *account, n int) {
	t.Helper()
	await.Until(t, func(context.Context) error {
		a.mu.Lock()
		defer a.mu.Unlock()
		if len(a.waiting) != n {
			return fmt.Errorf("%d wait", len(a.waiting))
		}
		return nil
	})
}

// TestWorkerOfLittleMemory tells the limit that it had, and why it was that.
func TestWorkerOfLittleMemory(t *testing.T) {
	if detector.On {
		t.Skip("the race detector takes more memory than the limit here")
	}
	p := newPool(testKind, Limits{Memory: 1 << 30, Parallel: 2, Time: time.Hour}, newAccount(256<<20))
	t.Cleanup(p.Close)
	_, _, err := say(t.Context(), p, "grow", "")
	if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "128 MiB, as all such processes share 256 MiB") {
		t.Errorf("got %v", err)
	}
}
