package kms

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestListen(t *testing.T) {
	tests := map[string]struct {
		reason string
		before func(t *testing.T, path string)
		want   string
	}{
		"New":    {"nothing is there", func(*testing.T, string) {}, ""},
		"Folder": {"a folder of /run is gone after each start", func(t *testing.T, path string) { must(t, os.Remove(filepath.Dir(path))) }, ""},
		"Left":   {"a process was killed, and left its socket", leave, ""},
		"LeftLock": {"a process was killed, and left its lock", func(t *testing.T, path string) {
			must(t, os.WriteFile(path+".lock", nil, 0o600))
		}, ""},
		"Served": {"a second one would take the first one's place", func(t *testing.T, path string) {
			first, err := Listen(t.Context(), path)
			must(t, err)
			t.Cleanup(func() { _ = first.Close() })
		}, "another process serves it"},
		"OtherProgram": {"one that knows no lock keeps its socket", func(t *testing.T, path string) {
			first, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
			must(t, err)
			t.Cleanup(func() { _ = first.Close() })
		}, "another program listens there"},
		"File": {"what is no socket is nobody's to remove", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte("kept"), 0o600))
		}, "something else than a socket is there"},
		"Link": {"what a link names is nobody's to remove", func(t *testing.T, path string) {
			must(t, os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), path))
		}, "something else than a socket is there"},
		"LinkedLock": {"a lock is made here and nowhere else", func(t *testing.T, path string) {
			must(t, os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), path+".lock"))
		}, "cannot open its lock"},
		"OpenFolder": {"others could put their socket there", func(t *testing.T, path string) {
			must(t, os.Chmod(filepath.Dir(path), 0o777))
		}, "others can write to the folder"},
		"Sticky": {"whoever is first after a restart could listen there", func(t *testing.T, path string) {
			must(t, os.Chmod(filepath.Dir(path), 0o777|os.ModeSticky))
		}, "others can write to the folder"},
	}
	if os.Geteuid() == 0 { // nobody else can give folders away
		tests["OthersFolder"] = struct {
			reason string
			before func(t *testing.T, path string)
			want   string
		}{"its user could rename the socket", func(t *testing.T, path string) { must(t, os.Chown(filepath.Dir(path), 1234, -1)) }, "is of another user"}
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run", "kms.sock")
			must(t, os.Mkdir(filepath.Dir(path), 0o700))
			tc.before(t, path)
			s, err := Listen(t.Context(), path)
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			info, err := os.Lstat(path)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("others reach the socket: %v, %v", info.Mode(), err)
			}
			must(t, s.Close())
			must(t, s.Close()) // a second time does nothing
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("it is left behind: %v", err)
			}
		})
	}
}

func TestLongPaths(t *testing.T) {
	_, err := Listen(t.Context(), filepath.Join(t.TempDir(), strings.Repeat("a", mostPath)))
	if err == nil || !strings.Contains(err.Error(), "give a shorter one") {
		t.Errorf("got %v", err)
	}
}

// leave makes a socket that nobody listens on.
func leave(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	must(t, err)
	l.SetUnlinkOnClose(false)
	must(t, l.Close())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
