package git

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// spoils are parts of what git says of objects and packs that it cannot read.
var spoils = []string{
	"does not match index", "far too short to be a packfile", "is not a GIT packfile", "is corrupt", "corrupt ", "garbage at end",
	"unable to read tree", "Can't load tree", "Not a valid commit", "not a commit", "nonexistent object", "missing necessary objects",
	"bad object", "inflate: ", "hash mismatch", "unresolved delta",
	"not a git repository",
}

// spoilt reports whether git found the store's own objects unreadable.
func spoilt(err error) bool {
	if err == nil {
		return false
	}
	for line := range strings.Lines(err.Error()) {
		says := func(s string) bool { return strings.Contains(line, s) }
		if !strings.HasPrefix(line, "remote: ") && slices.ContainsFunc(spoils, says) { // a server knows nothing of the store
			return true
		}
	}
	return false
}

// suspect tells, once for a store, that a fetch shows it to be damaged: it
// fails on what is there, or what was fetched is not there afterwards, as git
// keeps the broken pack of the same name.
func (s *Store) suspect(err error, hash string) bool {
	if s.foreign != "" || (err != nil && !spoilt(err)) || (err == nil && !s.lacks(hash)) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.healed {
		return false
	}
	s.healed = true
	s.damaged.Store(true)
	return true
}

// lacks reports whether nothing of a name is in the store.
func (s *Store) lacks(hash string) bool {
	_, _, err := s.objects.size(hash)
	return errors.Is(err, errMissing)
}

// unwritten is about a write that did not succeed.
func (s *Store) unwritten(err error) error {
	if s.foreign == "" && spoilt(err) {
		return s.broken(err)
	}
	return unwritable(err)
}

// broken marks the store as damaged; the next use makes it anew.
func (s *Store) broken(err error) error {
	s.damaged.Store(true)
	return &gitops.Problem{Kind: gitops.Unreachable, What: fmt.Sprintf("the local copy is damaged and will be made again: %v", err), Err: err}
}

func (s *Store) tell() {
	log := s.log
	if log == nil {
		log = slog.Default()
	}
	log.Warn("a damaged local copy is discarded and made again", "folder", s.dir)
}

// removeCrashes removes what git writes about itself when it gives up.
func removeCrashes(dir string) {
	left, err := filepath.Glob(filepath.Join(dir, "fast_import_crash_*"))
	for _, name := range left {
		err = errors.Join(err, os.Remove(name))
	}
	_ = err // they only take space
}
