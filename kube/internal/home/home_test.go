package home

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/kube/internal/await"
)

func open(t *testing.T, dir string) *Home {
	t.Helper()
	h, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestTemporaryHomeGoes(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	h := open(t, "")
	if !h.Temporary || h.Dir != h.Run {
		t.Errorf("home is %+v", h)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(h.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestKeptHomeStays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	h := open(t, dir)
	if err := os.WriteFile(h.Path("a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(h.Run); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the run folder is still there: %v", err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others can look in: %v, %v", info.Mode(), err)
	}
}

func TestOneProcessAHome(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	if _, err := Open(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("got %v, want %v", err, ErrInUse)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Close(); err != nil {
		t.Errorf("the folder stays locked: %v", err)
	}
}

func TestSocketFits(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 90))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	h := open(t, filepath.Join(long, "data"))
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	socket, err := net.Listen("unix", h.RunPath("etcd.sock"))
	if err != nil {
		t.Fatalf("a socket cannot be made in the run folder: %v", err)
	}
	if err := socket.Close(); err != nil {
		t.Error(err)
	}
}

func TestSweep(t *testing.T) {
	parent := t.TempDir()
	old := time.Now().Add(-time.Hour)
	folder := func(name string, age time.Time) string {
		dir := filepath.Join(parent, name)
		err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, lockName), nil, 0o600),
			os.Chtimes(filepath.Join(dir, lockName), age, age))
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	abandoned, young, other := folder(prefix+"1", old), folder(prefix+"2", time.Now()), folder("other-1", old)
	running := folder(prefix+"3", old)
	lock, err := acquire(running)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()

	sweep(parent)

	for dir, want := range map[string]bool{abandoned: false, young: true, other: true, running: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(dir), err == nil, want)
		}
	}
}

func TestPort(t *testing.T) {
	h := open(t, t.TempDir())
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	listen := func(wanted int, within time.Duration) net.Listener {
		t.Helper()
		h.portWithin = within
		for end := time.Now().Add(await.Limit); ; {
			l, err := h.Listen(t.Context(), wanted)
			if err == nil {
				return l
			}
			if time.Now().After(end) { // whoever connects to somewhere may have the port for a moment
				t.Fatal(err)
			}
		}
	}
	first := listen(0, time.Second)
	address := first.Addr().(*net.TCPAddr)
	if !address.IP.IsLoopback() {
		t.Errorf("others can reach %s", address)
	}
	second := listen(0, time.Millisecond) // the port of the first is taken
	if second.Addr().String() == address.String() {
		t.Error("two listeners on one port")
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	third := listen(address.Port, 0)
	back := time.AfterFunc(time.Second/5, func() { _ = third.Close() })
	defer back.Stop()
	again := listen(0, await.Limit) // the port is given back while it is waited for
	defer func() { _ = again.Close() }()
	if again.Addr().String() != address.String() {
		t.Errorf("got %s, want the port of the last start, %s", again.Addr(), address)
	}
	if _, err := h.Listen(t.Context(), address.Port); err == nil {
		t.Error("a port that is taken was given out again")
	}
}
