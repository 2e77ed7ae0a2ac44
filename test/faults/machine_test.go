package faults

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/faults/remote"
)

// leads is the metric of the engine that holds the lease.
var leads = regexp.MustCompile(`(?m)^leader_election_master_status\{[^}]*\} 1$`)

// TestDiskFull takes away the room for what an engine fetches, and gives it back.
func TestDiskFull(t *testing.T) {
	w := newWorld(t)
	disk := newDisk(t, filepath.Join(w.dir, "..", "engine", "cache"))
	w.startEngine("--interval", "1s")
	s := w.stage(t)
	g, err := remote.NewGit(t.Context(), t.TempDir(), map[string]string{"app/a.yaml": configMap("a", "1")})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	s.app("repoURL: " + g.RepoURL() + ", path: app, targetRevision: main")
	s.holds("a", "1")
	uid := s.uid("a")

	disk.fill(w.engine.PID())
	if err := g.Commit(t.Context(), map[string]string{"app/a.yaml": configMap("a", "2"), "padding": noise(1 << 20)}); err != nil {
		t.Fatal(err)
	}
	g.Set(remote.Fine)
	s.met(g.Server)
	s.says("ComparisonError")
	s.kept("a", uid)
	disk.free(w.engine.PID())
	s.holds("a", "2")
	s.kept("a", uid)
}

// noise is text that no compression makes small.
func noise(n int) string {
	b := make([]byte, n)
	x := uint64(1)
	for i := range b {
		x = x*6364136223846793005 + 1442695040888963407
		b[i] = byte('!' + (x>>33)%90)
	}
	return string(b)
}

// disk is the room of an engine's cache: a small file system where this
// process may mount one, or else a limit on the size of the files that the
// engine writes, which ends writes in the same places.
type disk struct {
	t       *testing.T
	dir     string
	mounted bool
}

func newDisk(t *testing.T, dir string) *disk {
	t.Helper()
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	d := &disk{t: t, dir: dir}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Logf("files are limited instead of the disk: %v", err)
		return d
	}
	d.mounted = true
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return d
}

func (d *disk) filler() string { return filepath.Join(d.dir, "filler") }

func (d *disk) fill(pid int) {
	d.t.Helper()
	if !d.mounted {
		d.limit(pid, 4<<10)
		return
	}
	f, err := os.Create(d.filler())
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 4<<10); ; {
		if _, err := f.Write(block); err != nil {
			return // full
		}
	}
}

func (d *disk) free(pid int) {
	d.t.Helper()
	if !d.mounted {
		d.limit(pid, unix.RLIM_INFINITY)
		return
	}
	if err := os.Remove(d.filler()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *disk) limit(pid int, bytes uint64) {
	d.t.Helper()
	var old unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &old); err != nil {
		d.t.Fatal(err)
	}
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: min(bytes, old.Max), Max: old.Max}, nil); err != nil {
		d.t.Fatal(err)
	}
}

// TestClockJumps sets the clock of an engine forward by days and back again
// while it syncs and while it waits to retry.
func TestClockJumps(t *testing.T) {
	w := newWorld(t)
	var offset atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
	e, err := app.New(app.Config{
		Hub: w.direct, Namespace: control, CacheDir: t.TempDir(), LocalInterval: 150 * time.Millisecond, StopWithin: await.Limit, Now: clock,
		Mirrors: []source.Mirror{{URL: repoBase + "/", Path: w.dir}}, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the engine ended: %v", err)
		}
	})
	s := w.stage(t)
	s.folder(configMap("a", "0"))
	s.holds("a", "0")
	uid := s.uid("a")
	for i, jump := range []time.Duration{49 * time.Hour, -72 * time.Hour, 0, -10 * time.Minute, time.Hour} {
		// An object that is refused keeps the operation waiting for its retry
		// while the clock moves.
		s.commit(configMap("a", strconv.Itoa(i+1)) + "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 99999999}]}\n")
		s.says("99999999")
		offset.Store(int64(jump))
		s.commit(configMap("a", strconv.Itoa(i+1)))
		s.holds("a", strconv.Itoa(i+1))
		s.drifts("a", strconv.Itoa(i+1))
	}
	s.kept("a", uid)
}

// drifts edits an object by hand and waits until it is healed.
func (s *stage) drifts(name, content string) {
	s.t.Helper()
	patch := []byte(`{"data":{"content":"by hand"}}`)
	if _, err := s.clients.CoreV1().ConfigMaps(s.name).Patch(s.ctx, name, "application/merge-patch+json", patch, metav1.PatchOptions{}); err != nil {
		s.t.Fatal(err)
	}
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		cm, err := s.clients.CoreV1().ConfigMaps(s.name).Get(ctx, name, metav1.GetOptions{})
		if err == nil && cm.Data["content"] != content {
			err = fmt.Errorf("content is %q", cm.Data["content"])
		}
		return err
	})
	s.holds(name, content)
}
