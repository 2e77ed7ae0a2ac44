package disk

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// newest is how many renderings a key keeps: of a few branches.
	newest = 4
	// largest is the size of a rendering that is kept, in bytes.
	largest = 32 << 20
	// stale is how old the time of last use may grow before it is written
	// again: reading stays reading.
	stale = time.Hour
	// DefaultLimit is the size of a Store where none is set, in bytes.
	DefaultLimit = 512 << 20
)

// Store keeps renderings in a folder. It is safe for concurrent use, also by
// several processes.
type Store struct {
	dir   string
	limit int64
	log   *slog.Logger
	now   func() time.Time

	once sync.Once // for the warning
	// saved are the bytes written since the folder was last measured.
	saved atomic.Int64
	sweep sync.Mutex
}

// Open makes a Store of at most limit bytes (DefaultLimit when 0) in a
// folder that is made by the first Save. It opens nothing.
func Open(dir string, limit int64, log *slog.Logger) *Store {
	if limit <= 0 {
		limit = DefaultLimit
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Store{dir: dir, limit: limit, log: log, now: time.Now}
}

// Close brings the folder below its limit. The Store can be used on.
func (s *Store) Close() {
	if s.saved.Load() > 0 {
		s.settle()
	}
}

// warn tells once that the Store does not work: renders go on without.
func (s *Store) warn(err error) {
	s.once.Do(func() {
		s.log.Warn("renderings cannot be kept on disk; each process renders anew", "folder", s.dir, "error", err)
	})
}

func (s *Store) file(key [32]byte) string {
	name := hex.EncodeToString(key[:])
	return filepath.Join(s.dir, name[:2], name[2:]+ending)
}

// ending marks the Store's own files.
const ending = ".render"

// Size is how many bytes Load reads for a key.
func (s *Store) Size(key [32]byte) int64 {
	info, err := os.Stat(s.file(key))
	if err != nil {
		return 0
	}
	return min(info.Size(), newest*largest)
}

// Load implements render.Store.
func (s *Store) Load(key [32]byte) [][]byte {
	name := s.file(key)
	data, used, err := read(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.warn(err)
		}
		return nil
	}
	all, err := open(key, data)
	if err != nil {
		_ = os.Remove(name) // if it stays, it is not read all the same
		return nil
	}
	if now := s.now(); now.Sub(used) > stale { // noted once an hour
		_ = os.Chtimes(name, now, now) // on a read-only disk nothing is evicted either
	}
	return all
}

// read returns a file's bytes and the time of its last use, by no more calls
// of the system than that takes: it is most of what a look-up costs.
func read(name string) ([]byte, time.Time, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	data := make([]byte, min(info.Size(), newest*largest))
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // cut short meanwhile, which open finds out
	}
	return data[:n], info.ModTime(), err
}

// Save implements render.Store. Of two processes that save under one key at
// a time the later one wins; the other's rendering is made again.
func (s *Store) Save(key [32]byte, rendering []byte) {
	if len(rendering) > largest || int64(len(rendering)) > s.limit/4 {
		return
	}
	name := s.file(key)
	all := [][]byte{rendering}
	if data, err := os.ReadFile(name); err == nil {
		old, err := open(key, data)
		if err == nil {
			all = join(rendering, old)
		}
	}
	if all == nil {
		return
	}
	data := seal(key, all)
	if err := s.place(name, data); err != nil {
		s.warn(err)
		return
	}
	if s.saved.Add(int64(len(data))) > s.limit/8 {
		s.settle()
	}
}

// join puts a rendering before the old ones and drops the oldest; nil means
// that nothing changed.
func join(rendering []byte, old [][]byte) [][]byte {
	if bytes.Equal(rendering, old[0]) {
		return nil
	}
	all := [][]byte{rendering}
	size := len(rendering)
	for _, o := range old {
		size += len(o)
		if len(all) < newest && size <= largest && !bytes.Equal(o, rendering) {
			all = append(all, o)
		}
	}
	return all
}

// place writes a file as a whole or not at all. It is not forced to the
// disk: one that a crash tears is found out by its sum.
func (s *Store) place(name string, data []byte) error {
	dir := filepath.Dir(name)
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) { // at first, and after somebody removed it all
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.CreateTemp(dir, temporary) // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // a leftover goes with the next settling
	}
	return err
}

const temporary = "new-*.tmp"
