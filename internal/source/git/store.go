package git

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Objects is the memory that all stores share: parsed folders, contents of
// files, sizes, by store and object name.
type Objects = cache.LRU[string, any]

// Store is a bare repository on the local disk. It is safe for concurrent
// use. Who reads waits for nobody: what is there stays, and fetches go on
// beside the store, see incoming.
type Store struct {
	command *Command
	dir     string
	id      string // of the store in the memory
	memory  *Objects
	limit   int64 // of a file, in bytes
	objects *objects
	// foreign is the folder of the repository whose objects are read: they are
	// never written, made anew or deleted.
	foreign string

	writing sync.Mutex // held while the repository is written on the disk; never while a server is asked
	written int        // fetches and commits since the store was tidied; writing guards it

	mu      sync.Mutex // held for moments, also by who holds writing
	ready   bool
	known   map[string]bool // commits that were found in the store
	damaged atomic.Bool
	// made counts how often the store was made anew: what was found before is
	// not there any more.
	made   atomic.Uint64
	doubts doubts
	// flights are fetches, by the commit or the view.
	flights flights
	// healed tells that the store was discarded for what git said of it.
	healed bool
	log    *slog.Logger
}

// NewStore opens the bare repository at a folder, which is made by the
// first use. Files larger than limit bytes cannot be read from it.
func NewStore(c *Command, dir string, memory *Objects, limit int64) *Store {
	id := strconv.FormatUint(stores.Add(1), 10)
	return &Store{command: c, dir: dir, id: id, memory: memory, limit: limit, objects: &objects{command: c, dir: dir}}
}

// stores counts the stores of this process.
var stores atomic.Uint64

// key is where the memory has something of an object, as this store has it: what
// another one has is not for who reads this one.
func (s *Store) key(what, hash string) string { return what + " " + s.id + " " + hash }

// reading is a store over objects of somebody else, whose folder is for
// messages; dir is a repository of the engine's own that leads to them.
func reading(c *Command, dir, foreign string, memory *Objects, limit int64) *Store {
	s := NewStore(c, dir, memory, limit)
	s.foreign, s.ready, s.known = foreign, true, map[string]bool{}
	return s
}

// Logging says where it is told that the store is made anew.
func (s *Store) Logging(l *slog.Logger) *Store {
	s.log = l
	return s
}

// Dir is the bare repository's folder.
func (s *Store) Dir() string { return s.dir }

// Rest ends processes that nobody used since a time.
func (s *Store) Rest(since time.Time) { s.objects.rest(since) }

// Retire ends the store's processes, and keeps none any more. What was read of it
// can still be read.
func (s *Store) Retire() { s.objects.retire() }

// Close ends the store's processes.
func (s *Store) Close() { s.objects.close() }

// Damaged reports whether an object which should be there could not be read. The
// next look-up makes the store anew.
func (s *Store) Damaged() bool { return s.damaged.Load() }

// prepare makes the repository, or makes it anew when it is damaged. The
// caller holds writing.
func (s *Store) prepare() error {
	if s.foreign != "" {
		return nil
	}
	if s.damaged.Load() {
		s.tell()
		s.unready()
		s.objects.rest(time.Now().Add(time.Hour))
		if err := os.RemoveAll(s.dir); err != nil {
			return unwritable(err)
		}
		s.doubts.forget()
	}
	if s.isReady() {
		return nil
	}
	if err := makeBare(s.dir, bareConfig(sha1Format)); err != nil {
		return unwritable(err)
	}
	removeLocks(s.dir)
	s.use()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready, s.known = true, map[string]bool{}
	s.damaged.Store(false)
	return nil
}

// unready tells all who read the store that it is made anew.
func (s *Store) unready() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = false
	s.made.Add(1)
}

func (s *Store) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// use tells that the store is in use; without it, it is fetched once more some day.
func (s *Store) use() {
	if s.foreign == "" {
		now := time.Now()
		_ = os.Chtimes(s.dir, now, now)
	}
}

// removeLocks clears what a killed process left; nobody else uses the store.
func removeLocks(dir string) {
	for _, name := range []string{"shallow.lock", "packed-refs.lock", "config.lock", "HEAD.lock"} {
		_ = os.Remove(filepath.Join(dir, name)) // absent, as a rule
	}
	removeCrashes(dir)
}

func unwritable(err error) error {
	var known *gitops.Problem
	if errors.As(err, &known) {
		return known
	}
	return (&gitops.Problem{Kind: gitops.Unreachable, What: fmt.Sprintf("cannot write into the cache folder: %v", err), Err: err}).
		Do("free disk space, or point --cache-dir at a folder that can be written")
}

// has reports whether a commit came into the store as a whole.
func (s *Store) has(ctx context.Context, hash string) bool {
	ready, known, made := s.state(hash)
	if !ready || known {
		return ready
	}
	if kind, _, err := s.objects.size(hash); err != nil || kind != "commit" {
		return false
	}
	if named, err := s.named(ctx, hash); !named || err != nil {
		return false
	}
	return s.note(hash, made)
}

// state reports whether the store can be read, and a commit was found in it
// since it was made for the last time.
func (s *Store) state(hash string) (ready, known bool, made uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready && !s.damaged.Load(), s.known[hash], s.made.Load()
}

// note remembers that a commit was found, unless the store is another one now.
func (s *Store) note(hash string, made uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready || s.made.Load() != made {
		return false
	}
	if len(s.known) >= knownCommits {
		clear(s.known)
	}
	s.known[hash] = true
	return true
}

// untidy is after how many fetches or commits loose objects are packed;
// each leaves up to a hundred of them.
const untidy = 64

// tidy packs loose objects now and then. The caller holds writing. Nothing is
// lost by it: what goes are loose copies of what a pack has, where git finds it
// that looked for them, so that fetches which build on the store may go on.
func (s *Store) tidy(ctx context.Context) {
	if s.written++; s.written < untidy {
		return
	}
	s.written = 0
	// A failure costs nothing but space, and the next one may succeed.
	_, _ = s.command.run(ctx, s.dir, session{}, nil, "repack", "-d", "-q", "-l")
}

// knownCommits bounds the memory of commits that were found in a store.
const knownCommits = 4096

// object reads through memory.
func (s *Store) object(hash, kind string) ([]byte, error) {
	key := s.key(kind, hash)
	if v, ok := s.memory.Get(key); ok {
		return v.([]byte), nil
	}
	got, data, err := s.objects.read(hash, s.limit)
	if err != nil {
		return nil, s.unread(hash, err)
	}
	if got != kind {
		return nil, gitops.Problemf(gitops.NotFound, "object %s is a %s, not a %s", hash, got, kind)
	}
	s.memory.Put(key, data, int64(len(data)+len(key)+64))
	return data, nil
}

func (s *Store) size(hash string) (int64, error) {
	key := s.key("size", hash)
	if v, ok := s.memory.Get(key); ok {
		return v.(int64), nil
	}
	_, size, err := s.objects.size(hash)
	if err != nil {
		return 0, s.unread(hash, err)
	}
	s.memory.Put(key, size, 128)
	return size, nil
}
