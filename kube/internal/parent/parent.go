// Package parent ties the life of this process to the one that started it, by a pipe whose other end only the parent
// holds: the kernel closes it however the parent ends, so no cluster outlives a crash.
package parent

import (
	"context"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Watch returns a context that ends when the pipe at descriptor fd closes. The returned function stops watching and waits.
func Watch(ctx context.Context, fd int) (context.Context, func(), error) {
	// A pollable descriptor lets Close interrupt the read below.
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, nil, fmt.Errorf("cannot watch the parent on descriptor %d: %w", fd, err)
	}
	pipe := os.NewFile(uintptr(fd), "parent")
	if pipe == nil {
		return nil, nil, fmt.Errorf("cannot watch the parent: %d is no file descriptor", fd)
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer cancel()
		// What the parent writes means nothing; that it stops being able to does.
		_, _ = io.Copy(io.Discard, pipe)
	}()
	stop := func() {
		_ = pipe.Close()
		<-done
	}
	return ctx, stop, nil
}
