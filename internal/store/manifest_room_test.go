package store

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/room"
)

// TestKeptManifestsHaveRoom: those of a rollback are read once there is room for them,
// and are not taken to be gone before that.
func TestKeptManifestsHaveRoom(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		const kib = 1 << 10
		s := opened(t, Options{URL: url, Key: key})
		one := aSync("web", 0)
		s.Rendering(rendering(one.Rendering, noise(1, 40*kib)))
		s.Sync(one)
		memory := room.New(1000 * kib)
		busy, other := memory.Enter(t.Context(), "red", "other")
		if err := room.Take(busy, 450*kib); err != nil {
			t.Fatal(err)
		}
		ctx, g := memory.Enter(t.Context(), "red", "web")
		if kept, err := s.Kept(ctx, one.ID); !errors.Is(err, room.ErrNoRoom) {
			t.Errorf("there is room: %+v, %v", kept, err)
		}
		g.End()
		other.End()
		ctx, g = memory.Enter(t.Context(), "red", "web")
		kept, err := s.Kept(ctx, one.ID)
		if err != nil || len(kept.Rendering.Manifests) == 0 {
			t.Errorf("when it comes again: %+v, %v", kept, err)
		}
		if used, refused := memory.Used(); used < 120*kib || used > 400*kib || refused != 0 {
			t.Errorf("it has %d KiB in use, and %d found no room", used>>10, refused)
		}
		g.End()
		if used, refused := memory.Used(); used != 0 || refused != 0 {
			t.Errorf("%d bytes are left, and %d wait", used, refused)
		}
		if _, err := s.Kept(t.Context(), one.ID); err != nil {
			t.Errorf("who is in no Room: %v", err)
		}
	})
}

// TestWeightOfOlderText is about what its objects take, which it does not tell.
func TestWeightOfOlderText(t *testing.T) {
	for text, want := range map[string]int64{`{"digest":"a"}`: 14 * perByte, `{"weight":7,"digest":"a"}`: 7} {
		if got, err := weightOf([]byte(text)); err != nil || got != want {
			t.Errorf("%s weighs %d, want %d: %v", text, got, want, err)
		}
	}
	if _, err := weightOf([]byte(`{`)); err == nil {
		t.Error("what is broken has a weight")
	}
}

// TestEndsOfSyncsHaveRoom: while the database is away, how far syncs have come does not
// push out how they end, be it large or often.
func TestEndsOfSyncsHaveRoom(t *testing.T) {
	for name, message := range map[string]string{"large": strings.Repeat("m", 8<<20), "often": "runs"} {
		s, err := New(Options{URL: t.TempDir() + "/history.db", Key: key}) // nobody writes
		if err != nil {
			t.Fatal(err)
		}
		one := aSync("web", 0, func(s *history.Sync) { s.Phase, s.Finished, s.Message = "Running", time.Time{}, message })
		for range 2 * queueItems {
			s.Sync(one)
		}
		lost := s.Stats().Lost
		if waits := s.waiting.Load(); waits > queueBytes/2+one.Weight() || lost == 0 {
			t.Errorf("%s: %d bytes wait, and %d records are lost", name, waits, lost)
		}
		one.Phase, one.Finished = "Failed", at
		s.Sync(one)
		var last item
		for range s.Stats().Queued {
			last = <-s.queue
		}
		if last.sync == nil || last.sync.Phase != "Failed" || s.Stats().Lost != lost {
			t.Errorf("%s: the end is lost: the last record is %+v", name, last.name())
		}
	}
}
