package kms

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	// ofUser is what others may do with a socket: nothing.
	ofUser = 0o600
	// mostPath is how long the path of a socket may be, in bytes: macOS has the least room for it.
	mostPath = 103
	// knock is how long it is tried whether somebody listens on a socket that is there.
	knock = time.Second
)

// Socket is a listener that no other user of the machine reaches, and no other process has.
type Socket struct {
	net.Listener

	lock  *os.File
	close sync.Once
	err   error
}

// Listen makes a socket, in a folder that is made where it is missing. What a process that was killed has left in its
// place is removed.
func Listen(ctx context.Context, path string) (*Socket, error) {
	s, err := listen(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", path, err)
	}
	return s, nil
}

func listen(ctx context.Context, path string) (*Socket, error) {
	if len(path) > mostPath {
		return nil, fmt.Errorf("its path has %d bytes, and a socket has room for %d: give a shorter one", len(path), mostPath)
	}
	if err := folder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	lock, err := acquire(path + ".lock")
	if err != nil {
		return nil, err
	}
	if err := clearPath(ctx, path); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	l, err := private(ctx, path)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &Socket{Listener: l, lock: lock}, nil
}

// folder refuses one in which others could put a socket of their own in the place of this one.
func folder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("cannot make its folder: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	// A sticky folder such as /tmp is no better: nobody removes this socket there, but whoever is first after its end has
	// the API server send the seeds to another one.
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others can write to the folder %s: take that from them with chmod go-w, or give another one", path)
	}
	if of, is := info.Sys().(*syscall.Stat_t); is && of.Uid != 0 && int(of.Uid) != os.Geteuid() {
		return fmt.Errorf("the folder %s is of another user, with the number %d, who could put another socket there: give one that is root's or of the user of this process", path, of.Uid)
	}
	return nil
}

// acquire takes a lock that the kernel gives back when the process ends, however it ends. Its file stays: who removed
// it could not tell whether somebody else just took it.
func acquire(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, ofUser)
	if err != nil {
		return nil, fmt.Errorf("cannot open its lock: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(errors.New("another process serves it: stop that one first, or give another path"), file.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot lock %s: %w", path, err), file.Close())
	}
	return file, nil
}

// clearPath removes a socket that nobody listens on.
func clearPath(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSocket == 0:
		return errors.New("something else than a socket is there: give another path, or remove it")
	}
	ctx, cancel := context.WithTimeout(ctx, knock)
	defer cancel()
	connection, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		return errors.Join(errors.New("another program listens there: stop that one first, or give another path"), connection.Close())
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
	default:
		return fmt.Errorf("cannot tell whether another program listens there: %w", err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove the socket that is left there: %w", err)
	}
	return nil
}

// masked is held while new files of the process are of its user alone.
var masked sync.Mutex

// private has a socket of this user alone from its first moment on.
func private(ctx context.Context, path string) (net.Listener, error) {
	masked.Lock()
	before := syscall.Umask(0o177)
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	syscall.Umask(before)
	masked.Unlock()
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, ofUser); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close removes the socket, and then lets another process have it.
func (s *Socket) Close() error {
	s.close.Do(func() { s.err = errors.Join(s.Listener.Close(), s.lock.Close()) })
	return s.err
}
