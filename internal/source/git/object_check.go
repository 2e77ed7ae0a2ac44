package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// lost says that an object could not be read which another one names.
type lost struct {
	hash string
	err  error
}

func (e *lost) Error() string { return fmt.Sprintf("object %s: %v", e.hash, e.err) }

func (e *lost) Unwrap() error { return e.err }

// unread is about an object that could not be read. A lost one is judged by who
// knows what commit it belongs to.
func (s *Store) unread(hash string, err error) error {
	var large *tooLarge
	switch {
	case errors.As(err, &large):
		return &gitops.Problem{Kind: gitops.Invalid, What: "cannot read the file: " + large.Error(), Fix: "keep large files out of the folders that are rendered", Err: err}
	case s.foreign != "":
		return s.lacking(err)
	case errors.Is(err, errNoReader):
		return &gitops.Problem{Kind: gitops.Unreachable, What: err.Error(), Err: err}
	}
	return &lost{hash, err}
}

// What belongs to a commit, in the words of git rev-list.
var (
	ofContent = []string{"--objects", "--no-walk", "--missing=print"}
	ofHistory = []string{}
)

// judge decides what a lost object means for the store. It is damaged where git,
// too, misses the object in a commit that the store was to have. Of all else the
// commit fails alone: who pushes a branch would have all who read the repository
// wait for it to be fetched again.
func (s *Store) judge(commit string, err error, of []string) error {
	var l *lost
	if !errors.As(err, &l) {
		return err
	}
	if s.damaged.Load() {
		return damage(l)
	}
	if !s.doubts.harmless(commit, l.hash) {
		made := s.made.Load()
		switch s.try(commit, l, of) {
		case spoiltStore:
			if s.made.Load() == made { // it is another one otherwise
				s.damaged.Store(true)
			}
			return damage(l)
		case halfCommit:
			return &gitops.Problem{Kind: gitops.Unreachable, What: fmt.Sprintf("commit %s is not here as a whole and will be fetched again: %v", commit, l), Err: l}
		case unknown:
			return &gitops.Problem{Kind: gitops.Unreachable, What: fmt.Sprintf("cannot read the local copy: %v", l), Err: l}
		case oddCommit:
			s.doubts.note(commit, l.hash)
		}
	}
	p := gitops.Problemf(gitops.Invalid, "commit %s is not whole: %v", commit, l)
	return p.Do("push a commit that lacks nothing, or set targetRevision to another one")
}

func damage(l *lost) *gitops.Problem {
	return &gitops.Problem{Kind: gitops.Unreachable, What: fmt.Sprintf("the local copy is damaged and will be fetched again: %v", l), Err: l}
}

// verdict is what is at fault for a lost object.
type verdict int

const (
	// unknown: git gave no answer, or can read the object now.
	unknown verdict = iota
	// spoiltStore: the store lost what it had.
	spoiltStore
	// halfCommit: the commit never came as a whole.
	halfCommit
	// oddCommit: git holds the commit for whole without the object.
	oddCommit
)

// try asks git what it holds of a commit. Its time is bound by the command's.
func (s *Store) try(commit string, l *lost, of []string) verdict {
	ctx := context.Background()
	var large *tooLarge
	if _, _, err := s.objects.read(l.hash, s.limit); err == nil || errors.As(err, &large) || errors.Is(err, errNoReader) {
		return unknown
	}
	switch named, err := s.named(ctx, commit); {
	case complains(err):
		return spoiltStore
	case err != nil:
		return unknown
	case !named && s.empty(ctx):
		return spoiltStore // there is nothing to be lost with it
	case !named:
		return halfCommit
	}
	out, err := s.command.run(ctx, s.dir, session{}, nil, append(append([]string{"rev-list"}, of...), commit)...)
	switch {
	case complains(err):
		return spoiltStore
	case err != nil:
		return unknown
	case holdsAny([]byte(strings.ReplaceAll(string(out), "?", "")), map[string]bool{l.hash: true}):
		return spoiltStore
	}
	return oddCommit
}

// named reports whether a reference leads to a commit: git makes one of what came
// as a whole, and not of what a fetch left that failed.
func (s *Store) named(ctx context.Context, commit string) (bool, error) {
	if _, err := os.Stat(filepath.Join(s.dir, "refs", "causeway", commit)); err == nil {
		return true, nil
	}
	if s.revision(ctx, "refs/causeway/"+commit) != "" {
		return true, nil
	}
	if s.lacks(commit) {
		return false, nil
	}
	out, err := s.command.run(ctx, s.dir, session{}, nil, "for-each-ref", "--count=1", "--contains="+commit)
	return len(out) > 0, err
}

// empty reports whether no reference is left in the store.
func (s *Store) empty(ctx context.Context) bool {
	out, err := s.command.run(ctx, s.dir, session{}, nil, "for-each-ref", "--count=1")
	return err == nil && len(out) == 0
}

// complains reports whether git ended by itself, and said why.
func complains(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.timeout == 0 && f.exited() && f.text != ""
}

// doubts are objects by the commits that name them, which git holds to be none of
// theirs.
type doubts struct {
	mu  sync.Mutex
	odd map[[2]string]bool
}

func (d *doubts) harmless(commit, hash string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.odd[[2]string{commit, hash}]
}

func (d *doubts) note(commit, hash string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.odd == nil || len(d.odd) >= knownCommits {
		d.odd = map[[2]string]bool{}
	}
	d.odd[[2]string{commit, hash}] = true
}

func (d *doubts) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.odd = nil
}
