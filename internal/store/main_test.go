package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/leash"
)

// server is the PostgreSQL of this test binary.
var server struct {
	once sync.Once
	dir  string
	cmd  *exec.Cmd
	err  error
	next int
}

func TestMain(m *testing.M) { os.Exit(leash.Held(func() int { return run(m) })) }

func run(m *testing.M) int {
	defer stopServer()
	return m.Run()
}

func stopServer() {
	if server.cmd != nil && server.cmd.Process != nil {
		_ = server.cmd.Process.Signal(syscall.SIGINT) // a fast shutdown
		_ = server.cmd.Wait()
	}
	if server.dir != "" {
		_ = os.RemoveAll(server.dir)
	}
}

// postgres returns the address of an empty database of its own.
func postgres(t *testing.T) string {
	t.Helper()
	if os.Getenv("CAUSEWAY_WITHOUT_POSTGRES") != "" {
		t.Skip("PostgreSQL's server is not on this machine, and nobody may install it: make test has said so")
	}
	server.once.Do(func() { server.err = startServer() })
	if server.err != nil {
		t.Fatalf("PostgreSQL is needed for this test: %v (on Debian: apt-get install postgresql)", server.err)
	}
	server.next++
	name := fmt.Sprintf("t%d", server.next)
	db, err := place{postgres: true, url: address("postgres")}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return address(name)
}

func address(database string) string {
	return "postgres://causeway@/" + database + "?host=" + server.dir
}

// startServer runs a server that listens on a socket in a temporary folder
// alone.
func startServer() (err error) {
	initdb, err := tool("initdb")
	if err != nil {
		return err
	}
	program, err := tool("postgres")
	if err != nil {
		return err
	}
	if server.dir, err = os.MkdirTemp("", "pg"); err != nil {
		return err
	}
	as, err := ordinary(server.dir)
	if err != nil {
		return err
	}
	data := filepath.Join(server.dir, "data")
	made := exec.Command(initdb, "-D", data, "-U", "causeway", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
	made.SysProcAttr, made.Dir = &syscall.SysProcAttr{Credential: as}, server.dir
	if out, err := made.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	log, err := os.Create(filepath.Join(server.dir, "log"))
	if err != nil {
		return err
	}
	server.cmd = exec.Command(program, "-D", data, "-k", server.dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=16MB")
	server.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGINT}
	server.cmd.Dir, server.cmd.Stdout, server.cmd.Stderr = server.dir, log, log
	if err := server.cmd.Start(); err != nil {
		return err
	}
	return ready(log.Name())
}

func ready(log string) error {
	ctx, cancel := context.WithTimeout(context.Background(), await.Limit)
	defer cancel()
	db, err := place{postgres: true, url: address("postgres")}.open()
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for {
		err := db.PingContext(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			text, _ := os.ReadFile(log)
			return fmt.Errorf("it does not answer: %w: %s", err, text)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func tool(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return filepath.EvalSymlinks(path)
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		return "", errors.New("there is no " + name)
	}
	return found[len(found)-1], nil
}

// ordinary is a user that is not root, which the server refuses to run as.
func ordinary(dir string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, errU := strconv.ParseUint(u.Uid, 10, 32)
	gid, errG := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(errU, errG, os.Chown(dir, int(uid), int(gid)), os.Chmod(dir, 0o755)); err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// each runs a test on each kind of database.
func each(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "history.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, postgres(t)) })
}

// opened starts a store that writes until the test ends.
func opened(t *testing.T, o Options) *Store {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return at.Add(time.Hour) }
	}
	// What is asked was written by then, and what is left is written: tests are about neither time.
	o.FlushWithin, o.CloseWithin, o.AnswerWithin = await.Limit, await.Limit, await.Limit
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(await.Limit)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen: " + what)
		}
		select {
		case <-t.Context().Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}
