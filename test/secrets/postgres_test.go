package secrets

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/causeway-gitops/causeway/test/await"
)

// database is a PostgreSQL, in which everybody logs in with a password.
type database struct {
	t    *testing.T
	port string
}

const (
	superuser = "causeway"
	ofSuper   = "hunter22"
)

// newDatabase starts one, which ends with the test.
func newDatabase(t *testing.T) database {
	t.Helper()
	dir, err := os.MkdirTemp("", "pg") // its socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	as := ordinary(t, dir)
	word := filepath.Join(dir, "password")
	if err := os.WriteFile(word, []byte(ofSuper), 0o644); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	made := exec.CommandContext(t.Context(), tool(t, "initdb"), "-D", data, "-U", superuser, "-A", "scram-sha-256", "--pwfile", word, "-E", "UTF8", "--locale=C", "-N")
	made.SysProcAttr, made.Dir = &syscall.SysProcAttr{Credential: as}, dir
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	d := database{t, freePort(t)}
	cmd := exec.Command(tool(t, "postgres"), "-D", data, "-k", dir, "-p", d.port, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "shared_buffers=16MB")
	cmd.SysProcAttr, cmd.Dir = &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGINT}, dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT) // a fast shutdown
		_ = cmd.Wait()
	})
	await.Until(t, func(ctx context.Context) error { return d.logIn(ctx, superuser, ofSuper) })
	return d
}

// freePort is one that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func (d database) logIn(ctx context.Context, name, password string) error {
	c, err := pgx.Connect(ctx, "postgres://"+name+":"+password+"@127.0.0.1:"+d.port+"/postgres?sslmode=disable")
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

// tool is a program of PostgreSQL.
func tool(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		t.Fatalf("there is no %s: on Debian, apt-get install postgresql", name)
	}
	return found[len(found)-1]
}

// ordinary is a user that is not root, which the server refuses to run as.
func ordinary(t *testing.T, dir string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, errU := strconv.ParseUint(u.Uid, 10, 32)
	gid, errG := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(errU, errG, os.Chown(dir, int(uid), int(gid)), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
