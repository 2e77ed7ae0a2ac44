package offline

import (
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// repoNames are the addresses by which Applications may know a checkout, with
// the folder that each stands for.
type repoNames map[string]string

func newRepoNames(remotes, more map[string]string) repoNames {
	out := repoNames{}
	for _, url := range remotes {
		out[address.Place(url)] = "."
	}
	for url, folder := range more {
		out[address.Place(url)] = folder
	}
	return out
}

// addresses lists the names, sorted.
func (n repoNames) addresses() []string { return slices.Sorted(maps.Keys(n)) }

// folderOf is the folder of the checkout that an address of a Git repository
// stands for: one of its own addresses, or one for which a mirror names it.
func (o *Stages) folderOf(ctx context.Context, repoURL string) (string, bool) {
	if folder, ok := o.names[address.Place(repoURL)]; ok {
		return folder, true
	}
	return o.sources.FolderOf(ctx, o.local, repoURL)
}

// own is folderOf for addresses that have the checkout's branches and tags. A
// folder for which there is but a mirror has no more than one state a side.
func (o *Stages) own(ctx context.Context, repoURL string) (string, bool) {
	folder, ok := o.folderOf(ctx, repoURL)
	_, named := o.names[address.Place(repoURL)]
	return folder, ok && (named || folder == ".")
}

// within translates files of repositories to those of the checkout. A file
// that is not there is one of something else under the same address: a chart.
func (o *Stages) within(ctx context.Context, tree gitops.Tree) func(repoURL, file string) (string, bool) {
	return func(repoURL, file string) (string, bool) {
		folder, ok := o.folderOf(ctx, repoURL)
		if !ok {
			return "", false
		}
		file = path.Join(folder, file)
		_, err := tree.Stat(file)
		return file, err == nil
	}
}

// moving are the revisions that mean the looked-at one.
func moving(all ...[]string) map[string]bool {
	out := map[string]bool{"": true, "HEAD": true}
	for _, names := range all {
		for _, n := range names {
			out[n] = true
		}
	}
	return out
}

// sideSources is what Applications refer to, as it is on one side: the
// repository itself at that side's revision, everything else as it is now.
type sideSources struct {
	offline  *Stages
	snap     *gitops.Snapshot
	branches map[string]bool

	// known are answers: a side is looked at as it is at one moment.
	mu    sync.Mutex
	known map[gitops.SourceRef]answer
}

type answer struct {
	snap *gitops.Snapshot
	err  error
}

// Snapshot implements preview.Sources.
func (s *sideSources) Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	s.mu.Lock()
	a, ok := s.known[ref]
	s.mu.Unlock()
	if ok {
		return a.snap, a.err
	}
	a.snap, a.err = s.look(ctx, ref)
	if ctx.Err() != nil {
		return a.snap, a.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[gitops.SourceRef]answer{}
	}
	s.known[ref] = a
	return a.snap, a.err
}

func (s *sideSources) look(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	if ref.Chart != "" {
		return s.elsewhere(ctx, ref)
	}
	folder, own := s.offline.own(ctx, ref.RepoURL)
	if !own {
		return s.elsewhere(ctx, ref)
	}
	snap := s.snap
	if revision := strings.TrimPrefix(strings.TrimSpace(ref.Revision), "refs/heads/"); !s.branches[revision] {
		var err error
		if snap, err = s.fixed(ctx, ref, revision); err != nil {
			return nil, err
		}
	}
	out := *snap
	out.Ref, out.Tree = ref, source.Subtree(snap.Tree, folder)
	return &out, nil
}

// elsewhere is what is not in this repository, or in a folder of it that a
// mirror names. Such a folder is read as it is on this side, unless it is
// ignored: then it has but one state.
func (s *sideSources) elsewhere(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	if part, ok := s.offline.sources.Part(ctx, s.offline.local, ref); ok {
		kept, err := s.keeps(ctx, part)
		if err != nil {
			return nil, err
		}
		if kept {
			return part.Snapshot(ctx, ref, s.snap)
		}
	}
	snap, err := s.offline.sources.Snapshot(ctx, ref)
	if err == nil {
		s.offline.fetched.add(snap)
	}
	return snap, err
}

// keeps reports whether Git keeps the part, on this side or in the work tree.
func (s *sideSources) keeps(ctx context.Context, part source.Part) (bool, error) {
	if part.In(s.snap.Tree) {
		return true, nil
	}
	if s.offline.local.Bare() {
		return false, nil
	}
	now, err := s.offline.local.Worktree(ctx)
	if err != nil {
		return false, err
	}
	return part.In(now.Tree), nil
}

// fixed is the repository at a revision that the change does not move: a tag,
// a commit or another branch.
func (s *sideSources) fixed(ctx context.Context, ref gitops.SourceRef, revision string) (*gitops.Snapshot, error) {
	snap, err := s.offline.local.Snapshot(ctx, "origin/"+revision)
	if err == nil {
		return snap, nil
	}
	snap, err = s.offline.local.Snapshot(ctx, revision)
	if gitops.IsProblem(err, gitops.NotFound) {
		return nil, gitops.Problemf(gitops.NotFound, "the checkout has no revision %q of %s", revision, gitops.PublicAddress(ref.RepoURL)).
			Do("fetch it (in CI: fetch-depth: 0), or name it with --branch" + argument(revision) + " if it is the branch that the change goes to")
	}
	return snap, err
}

// plain is a name that a shell takes for nothing but a name.
var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*$`)

// argument is a revision for a flag that somebody copies; empty for one in which a
// shell may find more: who wrote the Application chose it.
func argument(revision string) string {
	if !plain.MatchString(revision) {
		return ""
	}
	return " " + revision
}

// fetched is what was read from elsewhere than the checkout.
type fetched struct {
	mu    sync.Mutex
	snaps map[gitops.SourceRef]*gitops.Snapshot
}

func (f *fetched) add(snap *gitops.Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.snaps == nil {
		f.snaps = map[gitops.SourceRef]*gitops.Snapshot{}
	}
	ref := snap.Ref
	ref.Project = ""
	f.snaps[ref] = snap
}

// Fetched is everything that was read from elsewhere than the checkout so
// far, each reference once, sorted.
func (o *Stages) Fetched() []*gitops.Snapshot {
	o.fetched.mu.Lock()
	defer o.fetched.mu.Unlock()
	out := slices.Collect(maps.Values(o.fetched.snaps))
	slices.SortFunc(out, func(a, b *gitops.Snapshot) int {
		return slices.Compare([]string{a.Ref.RepoURL, a.Ref.Chart, a.Ref.Revision}, []string{b.Ref.RepoURL, b.Ref.Chart, b.Ref.Revision})
	})
	return out
}
