package parent

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/kube/internal/await"
)

// pipe returns a descriptor that Watch may own, and the parent's end.
func pipe(t *testing.T) (int, *os.File) {
	t.Helper()
	theirs, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Dup(int(theirs.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	return fd, ours
}

func TestWatchEndsWithTheParent(t *testing.T) {
	fd, ours := pipe(t)
	ctx, stop, err := Watch(t.Context(), fd)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if _, err := ours.WriteString("something"); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatal("the context ended while the parent was there")
	}
	if err := ours.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(await.Limit):
		t.Fatal("the context goes on without the parent")
	}
}

func TestStopReturns(t *testing.T) {
	fd, ours := pipe(t)
	defer func() { _ = ours.Close() }()
	ctx, stop, err := Watch(context.Background(), fd)
	if err != nil {
		t.Fatal(err)
	}
	stop() // would hang here, were the read not interrupted
	if ctx.Err() == nil {
		t.Error("the context goes on, unwatched")
	}
}

func TestWatchWantsADescriptor(t *testing.T) {
	if _, _, err := Watch(t.Context(), 987); err == nil {
		t.Error("a descriptor that is not open was taken")
	}
}
