package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func key(n int) [32]byte {
	return [32]byte{byte(n), byte(n >> 8), 7}
}

func texts(all [][]byte) []string {
	var out []string
	for _, b := range all {
		out = append(out, string(b))
	}
	return out
}

func TestNewestFirst(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir, 0, nil)
	if got := s.Load(key(1)); got != nil {
		t.Errorf("nothing is kept yet: %q", got)
	}
	for _, text := range []string{"a", "b", "b", "c", "a", "d", "e"} {
		s.Save(key(1), []byte(text))
	}
	s.Save(key(2), []byte("other"))
	for _, from := range []*Store{s, Open(dir, 0, nil)} {
		if d := cmp.Diff([]string{"e", "d", "a", "c"}, texts(from.Load(key(1)))); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"other"}, texts(from.Load(key(2)))); d != "" {
			t.Error(d)
		}
	}
	checkModes(t, dir)
}

func checkModes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if name != dir && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %s", name, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBrokenFilesAreRemoved(t *testing.T) {
	good := seal(key(1), [][]byte{[]byte("first"), []byte("second")})
	changed := bytes.Clone(good)
	changed[len(changed)-1] ^= 1
	cases := map[string]struct {
		reason string
		data   []byte
	}{
		"Torn":     {"half of a file", good[:len(good)-3]},
		"Head":     {"less than its head", good[:10]},
		"Empty":    {"nothing", nil},
		"Changed":  {"one bit differs", changed},
		"Foreign":  {"somebody else's", []byte(strings.Repeat("x", 500))},
		"OtherKey": {"the file of another key", seal(key(2), [][]byte{[]byte("x")})},
		"OldForm":  {"the form before", append([]byte("causeway render 0\n"), good[len(mark):]...)},
		"Bare":     {"no rendering", seal(key(1), nil)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := Open(t.TempDir(), 0, nil)
			s.Save(key(1), []byte("x"))
			file := s.file(key(1))
			if err := os.WriteFile(file, tc.data, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := s.Load(key(1)); got != nil {
				t.Errorf("%s: got %q", tc.reason, got)
			}
			if _, err := os.Stat(file); err == nil {
				t.Errorf("%s: the file is still there", tc.reason)
			}
			s.Save(key(1), []byte("again"))
			if d := cmp.Diff([]string{"again"}, texts(s.Load(key(1)))); d != "" {
				t.Errorf("%s: %s", tc.reason, d)
			}
		})
	}
}

// TestBound tells that what was not used for longest goes, and that what is
// not the Store's stays.
func TestBound(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir, 200<<10, nil)
	now := time.Now().Add(-48 * time.Hour)
	s.now = func() time.Time { return now }
	body := bytes.Repeat([]byte("x"), 8000)
	for i := range 20 {
		s.Save(key(i), body)
		old := now.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(s.file(key(i)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	foreign, left := filepath.Join(dir, "notes.txt"), filepath.Join(dir, "00", "new-1.tmp")
	for _, name := range []string{foreign, left} {
		if err := os.WriteFile(name, bytes.Repeat([]byte("y"), 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, now, now); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(48 * time.Hour)
	if s.Load(key(0)) == nil { // used again: now the newest
		t.Fatal("the first is kept")
	}
	for i := 20; i < 40; i++ {
		s.Save(key(i), body)
	}
	s.Close()
	var size int64
	for _, k := range s.scan() {
		size += k.size
	}
	if size > 200<<10 || size < 100<<10 {
		t.Errorf("the folder has %d bytes", size)
	}
	if s.Load(key(0)) == nil || s.Load(key(39)) == nil {
		t.Error("what was used last is gone")
	}
	if s.Load(key(1)) != nil {
		t.Error("what was not used for longest is still there")
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("somebody else's file is gone: %v", err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a writer left behind is still there")
	}
}

// TestFaults tells that a folder that cannot be used is warned of once, and
// fails nothing.
func TestFaults(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(filepath.Join(file, "folder"), 0, log)
	for i := range 10 {
		s.Save(key(i), []byte("x"))
		if got := s.Load(key(i)); got != nil {
			t.Errorf("got %q", got)
		}
	}
	s.Close()
	if n := strings.Count(out.String(), "\n"); n != 1 || !strings.Contains(out.String(), "WARN") {
		t.Errorf("%d lines: %s", n, out.String())
	}
	big := Open(t.TempDir(), 1<<20, nil)
	big.Save(key(1), make([]byte, 1<<20))
	if got := big.Load(key(1)); got != nil {
		t.Error("a rendering as large as the whole store is kept")
	}
}

// TestRemovedFolder: a cache can be deleted, also while somebody keeps things there.
func TestRemovedFolder(t *testing.T) {
	var out bytes.Buffer
	dir := filepath.Join(t.TempDir(), "cache", "renders")
	s := Open(dir, 0, slog.New(slog.NewTextHandler(&out, nil)))
	for _, text := range []string{"a", "b"} {
		s.Save(key(1), []byte(text))
		if d := cmp.Diff([]string{text}, texts(s.Load(key(1)))); d != "" {
			t.Error(d)
		}
		s.Close()
		if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() > 0 {
		t.Errorf("it warns: %s", out.String())
	}
}

// TestWhatTheFolderHeldIsBelievedForADay: to measure takes long, and who was killed did
// not tell what was added.
func TestWhatTheFolderHeldIsBelievedForADay(t *testing.T) {
	now := time.Now()
	for name, tc := range map[string]struct {
		reason, text string
		age          time.Duration
		want         int64
		known        bool
	}{
		"Fresh":    {"as it was told", "1234\n", time.Hour, 1234, true},
		"Old":      {"a day is long", "1234\n", trusted + time.Minute, 0, false},
		"Negative": {"nothing holds less than nothing", "-1\n", 0, -1, false},
		"Torn":     {"half of it", "", 0, 0, false},
		"Foreign":  {"what is no number", "much", 0, 0, false},
		"TooLarge": {"what is more than any disk has", "99999999999999999999", 0, 1<<63 - 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := Open(t.TempDir(), 0, nil)
			s.now = func() time.Time { return now.Add(tc.age) }
			file := filepath.Join(s.dir, record)
			if err := errors.Join(os.WriteFile(file, []byte(tc.text), 0o600), os.Chtimes(file, now, now)); err != nil {
				t.Fatal(err)
			}
			if got, known := s.recorded(); known != tc.known || got != tc.want {
				t.Errorf("%s: %d, %t", tc.reason, got, known)
			}
		})
	}
}

// TestFilesOfOthersStay: a folder may be shared, and a name may be like ours.
func TestFilesOfOthersStay(t *testing.T) {
	name := strings.Repeat("ab", 31)
	for name, want := range map[string]bool{
		name + ending: true, name: false, name + "ab" + ending: false, name[2:] + ending: false,
		strings.Repeat("xy", 31) + ending: false, name + ".json": false, ending: false,
	} {
		if got := isOurs(name); got != want {
			t.Errorf("%s is ours: %t", name, got)
		}
	}
	for name, want := range map[string]bool{"new-1.tmp": true, "new-.tmp": true, "new-1.txt": false, "old-1.tmp": false} {
		if got := isTemporary(name); got != want {
			t.Errorf("%s is temporary: %t", name, got)
		}
	}
}

// TestReadOnly tells that a store that others filled is read where nothing
// can be written.
func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root writes everywhere")
	}
	dir := t.TempDir()
	Open(dir, 0, nil).Save(key(1), []byte("x"))
	sub := filepath.Dir(Open(dir, 0, nil).file(key(1)))
	for _, d := range []string{sub, dir} {
		if err := os.Chmod(d, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(d, 0o700) })
	}
	s := Open(dir, 0, nil)
	s.Save(key(1), []byte("y"))
	s.Save(key(2), []byte("y"))
	s.Close()
	if d := cmp.Diff([]string{"x"}, texts(s.Load(key(1)))); d != "" {
		t.Error(d)
	}
}

// TestManyAtOnce tells that readers, writers and those that evict share a
// folder: what is read is whole.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for worker := range 8 {
		s := Open(dir, 256<<10, nil) // each as a process of its own has it
		all.Go(func() {
			for i := range 200 {
				k := key(i % 23)
				s.Save(k, bytes.Repeat(fmt.Appendf(nil, "%02d", i%23), 500+worker))
				for _, got := range s.Load(k) {
					if len(got) < 1000 || string(got[:2]) != fmt.Sprintf("%02d", i%23) {
						t.Errorf("torn: %q", got[:min(len(got), 10)])
					}
				}
			}
			s.Close()
		})
	}
	all.Wait()
}

func FuzzOpen(f *testing.F) {
	f.Add(seal(key(1), [][]byte{[]byte("first"), []byte("second")}))
	f.Add([]byte(mark))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := open(key(1), data)
		if err != nil {
			return
		}
		if !bytes.Equal(seal(key(1), all), data) {
			t.Error("what is read is not what was written")
		}
	})
}
