package disk

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// abandoned is the age of a temporary file whose writer is gone.
	abandoned = time.Hour
	// record has how many bytes the folder held when it was last measured
	// and what was added since, so that few processes have to measure.
	record = "size"
	// trusted is how long that is believed: a process that is killed does
	// not tell what it added.
	trusted = 24 * time.Hour
	lock    = "lock"
)

// kept is a file of the Store.
type kept struct {
	name string
	size int64
	used time.Time
}

// settle brings the folder below its limit, unless another process is at
// it. Readers are not kept waiting: a file that is gone is rendered again.
func (s *Store) settle() {
	s.sweep.Lock()
	defer s.sweep.Unlock()
	f, err := os.OpenFile(filepath.Join(s.dir, lock), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		s.warn(err)
		return
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return // the other one's turn; what was saved here is counted next time
	}
	added := s.saved.Swap(0)
	total, known := s.recorded()
	if total += added; known && total <= s.limit {
		s.note(total)
		return
	}
	s.note(s.evict())
}

func (s *Store) recorded() (int64, bool) {
	name := filepath.Join(s.dir, record)
	info, err := os.Stat(name)
	if err != nil || s.now().Sub(info.ModTime()) > trusted {
		return 0, false
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil && n >= 0
}

func (s *Store) note(total int64) {
	if err := s.place(filepath.Join(s.dir, record), fmt.Appendln(nil, total)); err != nil {
		s.warn(err)
	}
}

// evict measures the folder, and removes what was not used for longest
// until a tenth of the limit is free. It returns what is left.
func (s *Store) evict() int64 {
	files := s.scan()
	var total int64
	for _, k := range files {
		total += k.size
	}
	if total <= s.limit {
		return total
	}
	slices.SortFunc(files, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.name, b.name)) })
	for _, k := range files {
		if total <= s.limit-s.limit/10 {
			break
		}
		if err := os.Remove(k.name); err == nil || errors.Is(err, fs.ErrNotExist) {
			total -= k.size
		}
	}
	return total
}

// scan lists the Store's files and removes what writers left behind. Files
// of others in the folder stay as they are.
func (s *Store) scan() []kept {
	var files []kept
	_ = filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // what cannot be listed is not counted
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			return nil //nolint:nilerr // gone by now, or not ours
		}
		switch {
		case isOurs(e.Name()):
			// A file takes whole blocks; a small one costs as much as they do.
			files = append(files, kept{name, (info.Size() + 4095) &^ 4095, info.ModTime()})
		case isTemporary(e.Name()) && s.now().Sub(info.ModTime()) > abandoned:
			_ = os.Remove(name) //nolint:gosec // a link in its place is removed itself, and nothing else
		}
		return nil
	})
	return files
}

func isOurs(base string) bool {
	name, ok := strings.CutSuffix(base, ending)
	if !ok || len(name) != 62 {
		return false
	}
	_, err := hex.DecodeString(name)
	return err == nil
}

func isTemporary(base string) bool {
	before, after, _ := strings.Cut(temporary, "*")
	return strings.HasPrefix(base, before) && strings.HasSuffix(base, after)
}
