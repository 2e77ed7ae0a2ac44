package up

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// background runs the fleet in a process of its own, and shows how it comes up.
func (u *upFlags) background(ctx context.Context, fleet *local.Fleet, home local.Home) error {
	lock, err := home.Lock() // tells in plain words when it runs already
	if err != nil {
		return err
	}
	if err := errors.Join(command.IgnoreMissing(os.Remove(home.Progress())), home.ForgetAddress(), lock.Release()); err != nil {
		return err
	}
	child, err := u.spawn(home)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() { _ = child.Wait(); close(ended) }() // ends with the child, or with this process
	s, err := u.watch(ctx, home, ended)
	if ctx.Err() != nil {
		return errors.Join(command.ErrInterrupted, unlessStopped(home.Stop(context.WithoutCancel(ctx))))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(u.Out, "%sThe fleet runs in the background. Its log: causeway logs --engine. To stop it: causeway down\n", summary(fleet, home, s))
	return err
}

// spawn starts the same command again, in a session of its own.
func (u *upFlags) spawn(home local.Home) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program: %w", err)
	}
	log, err := command.LogFile(home.Log())
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(self, append(os.Args[1:], "--detach=false")...) //nolint:gosec,noctx // this very command again, and it outlives this process
	cmd.Env = append(os.Environ(), detachedVariable+"=true")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the background process: %w", err)
	}
	return cmd, nil
}

// watch shows the background process's progress until all is healthy.
func (u *upFlags) watch(ctx context.Context, home local.Home, ended <-chan struct{}) (fleetstatus.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, u.timeout)
	defer cancel()
	feed := fleetstatus.File{Path: home.Progress()}
	var group crew.Group
	shown, stop := context.WithCancel(ctx)
	t := newTeller(u.Streams)
	group.Go(func() error {
		return u.Show().Run(shown, feed, t.notes)
	})
	if u.hasPages() {
		group.Go(func() error { return t.signIn(shown, home) })
	}
	last, err := u.await(ctx, feed, ended, home)
	stop()
	return last, errors.Join(err, group.Wait())
}

func (u *upFlags) await(ctx context.Context, feed fleetstatus.File, ended <-chan struct{}, home local.Home) (fleetstatus.Snapshot, error) {
	over, cancel := context.WithCancel(ctx)
	defer cancel()
	var last fleetstatus.Snapshot
	healthy := make(chan struct{})
	done := make(chan struct{})
	go func() { // ends with over; waited for below
		defer close(done)
		version := -1
		for {
			s, newer, err := feed.Next(over, version)
			if err != nil {
				return
			}
			last, version = s, newer
			if !s.Healthy.IsZero() {
				close(healthy)
				return
			}
		}
	}()
	var err error
	select {
	case <-healthy:
	case <-ended: // the log says more than the exit status
		err = fmt.Errorf("the fleet did not come up; the end of %s says:\n%s", table.Short(home.Log()), command.Tail(home.Log(), 15))
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	cancel()
	<-done
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w\nThe fleet goes on in the background: see `causeway get apps`, or stop it with `causeway down`",
			u.timeoutError(live.Unfinished(last)))
	}
	return last, err
}

// unlessStopped is for who only wants it not to run.
func unlessStopped(err error) error {
	if errors.Is(err, local.ErrNotRunning) {
		return nil
	}
	return err
}
