package fleetstatus

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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

// TestAClusterComesBack: what went wrong with it is over once it starts again.
func TestAClusterComesBack(t *testing.T) {
	b := New("shop", []string{"hub", "dev"}, time.Now)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	states := []struct {
		does func()
		want Cluster
	}{
		{func() {}, Cluster{Name: "dev", State: Waiting}},
		{func() { b.Starting("dev", at) }, Cluster{Name: "dev", State: Starting, Since: at}},
		{func() { b.Failed("dev", errors.New("no room")) }, Cluster{Name: "dev", State: Failed, Since: at, Error: "no room"}},
		{func() { b.Starting("dev", at.Add(1)) }, Cluster{Name: "dev", State: Starting, Since: at.Add(1)}},
		{func() { b.Ready("dev", "https://x", time.Second) }, Cluster{Name: "dev", State: Ready, Since: at.Add(1), Server: "https://x", Took: time.Second}},
		{func() { b.Failed("another", errors.New("x")) }, Cluster{Name: "dev", State: Ready, Since: at.Add(1), Server: "https://x", Took: time.Second}},
	}
	for i, state := range states {
		state.does()
		want := []Cluster{{Name: "hub", Hub: true, State: Waiting}, state.want}
		if diff := cmp.Diff(want, b.Snapshot().Clusters); diff != "" {
			t.Errorf("after step %d: %s", i, diff)
		}
	}
}

// TestTroubleWithFilesEnds: a file that was mended is no problem any more.
func TestTroubleWithFilesEnds(t *testing.T) {
	b := New("shop", []string{"hub"}, time.Now)
	b.Trouble(errors.New("line 3"))
	if got := b.Snapshot().Problem; got != "line 3" {
		t.Errorf("the problem is %q", got)
	}
	b.Trouble(nil)
	if got := b.Snapshot().Problem; got != "" {
		t.Errorf("the problem is still %q", got)
	}
}

// TestAPictureIsOfOneMoment: who draws one is not disturbed by what happens.
func TestAPictureIsOfOneMoment(t *testing.T) {
	b := New("shop", []string{"hub"}, time.Now)
	b.update(func() {
		b.apps["b"], b.apps["a"], b.sets["t"], b.sets["s"] = good("b"), good("a"), Set{Name: "t"}, Set{Name: "s"}
	})
	s := b.Snapshot()
	b.Failed("hub", errors.New("x"))
	if s.Clusters[0].State != Waiting || s.Apps[0].Name != "a" || s.Apps[1].Name != "b" || s.Sets[0].Name != "s" {
		t.Errorf("it has changed, or is in no order: %+v", s)
	}
}

// TestHalfAFileIsNoNews: what writes it may be of another version, or be killed.
func TestHalfAFileIsNoNews(t *testing.T) {
	path := filepath.Join(t.TempDir(), "progress.json")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (File{Path: path}).Next(over, -1); !errors.Is(err, context.Canceled) {
		t.Errorf("one that is not there: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"fleet": "sh`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, _, err := (File{Path: path}).Next(over, -1); !errors.Is(err, context.Canceled) {
		t.Errorf("half of one: %+v, %v", s, err)
	}
	if err := write(path, Snapshot{Fleet: "shop"}); err != nil {
		t.Fatal(err)
	}
	if s, _, err := (File{Path: path}).Next(over, -1); err != nil || s.Fleet != "shop" {
		t.Errorf("what is there is given all the same: %+v, %v", s, err)
	}
	if err := write(filepath.Join(path, "x"), Snapshot{}); err == nil {
		t.Error("what cannot be written is told")
	}
}

// TestWhatIsGoneIsToldByName: a watch that was away knows only the last state.
func TestWhatIsGoneIsToldByName(t *testing.T) {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	for name, tc := range map[string]struct {
		reason string
		obj    any
		want   string
	}{
		"Seen":   {"it was there at the end", app, "shop"},
		"Missed": {"nobody saw it go", cache.DeletedFinalStateUnknown{Key: "argocd/shop", Obj: app}, "shop"},
		"Other":  {"what is none of the kind is passed over", &v1alpha1.ApplicationSet{}, ""},
		"Lost":   {"not even that is known", cache.DeletedFinalStateUnknown{Key: "argocd/shop"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			tell(tc.obj, true, func(a *v1alpha1.Application, gone bool) {
				if gone {
					got = a.Name
				}
			})
			if got != tc.want {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
}
