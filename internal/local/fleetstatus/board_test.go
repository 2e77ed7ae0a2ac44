package fleetstatus

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBoardSettlesOnlyWhatLasts(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := New("shop", []string{"hub"}, func() time.Time { return now })
	b.Ready("hub", "https://x", time.Second)
	b.update(func() { b.base.Watching = true; b.apps["a"] = good("a") })
	if b.Settle() {
		t.Error("it settled at once")
	}
	now = now.Add(settleTime / 2)
	b.update(func() { b.apps["b"] = App{Name: "b"} })
	if b.Settle() {
		t.Error("it settled with an application that is not good")
	}
	b.update(func() { b.apps["b"] = good("b") })
	now = now.Add(settleTime)
	if b.Settle() {
		t.Error("the time did not start anew")
	}
	first := now
	now = now.Add(settleTime)
	if !b.Settle() {
		t.Fatal("it did not settle")
	}
	if got := b.Snapshot().Healthy; !got.Equal(first) {
		t.Errorf("healthy since %s, not %s", got, first)
	}
	b.update(func() { b.apps["b"] = App{Name: "b"} })
	if !b.Settle() {
		t.Error("what was reached once stays reached")
	}
}

func TestNextWaitsForAChange(t *testing.T) {
	b := New("shop", []string{"hub"}, time.Now)
	s, version, err := b.Next(t.Context(), -1)
	if err != nil || s.Fleet != "shop" {
		t.Fatalf("the first picture is there at once: %+v, %v", s, err)
	}
	got := make(chan Snapshot, 1)
	go func() {
		s, _, _ := b.Next(t.Context(), version)
		got <- s
	}()
	b.Step("rolling out")
	if s := <-got; s.Step != "rolling out" {
		t.Errorf("got %+v", s)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := b.Next(over, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with its context: %v", err)
	}
	if _, _, err := b.Next(over, -1); err != nil {
		t.Errorf("what is there is given all the same: %v", err)
	}
}

func TestAFileTellsWhatTheBoardKnows(t *testing.T) {
	b := New("shop", []string{"hub", "dev"}, time.Now)
	path := filepath.Join(t.TempDir(), "progress.json")
	ctx, cancel := context.WithCancel(t.Context())
	saved := make(chan error, 1)
	go func() { saved <- b.Save(ctx, path) }()
	b.Failed("dev", errors.New("no room"))
	b.Fail(errors.New("it did not come up"))
	cancel()
	if err := <-saved; err != nil {
		t.Fatal(err)
	}
	s, version, err := File{Path: path}.Next(t.Context(), -1)
	if err != nil {
		t.Fatal(err)
	}
	if s.Failure != "it did not come up" || s.Clusters[1].Error != "no room" {
		t.Errorf("the last word counts: %+v", s)
	}
	want := b.Snapshot()
	s.Started, want.Started = time.Time{}, time.Time{}
	if diff := cmp.Diff(want, s, cmp.Transformer("nil", func(a []App) int { return len(a) }), cmp.Transformer("nil2", func(a []Set) int { return len(a) })); diff != "" {
		t.Error(diff)
	}
	over, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	if _, _, err := (File{Path: path}).Next(over, version); err == nil {
		t.Error("an old file is no news")
	}
}
