package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/archive"
	"github.com/causeway-gitops/causeway/internal/source/git"
	"github.com/causeway-gitops/causeway/internal/source/lockfile"
	"github.com/causeway-gitops/causeway/internal/source/logins"
	"github.com/causeway-gitops/causeway/internal/source/mirror"
	"github.com/causeway-gitops/causeway/internal/source/signature"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// Registry serves snapshots of all sources. It is safe for concurrent use.
type Registry struct {
	opts    Options
	dir     string
	lock    *os.File
	mirrors mirror.Table
	locked  []*lockfile.Mirror
	command *git.Command
	memory  *git.Objects
	room    *archive.Room
	news    *news
	watcher atomic.Pointer[watcher]
	// logins are those of the person at this machine; nil where they are not used.
	logins *logins.User
	// keys are those that signatures are checked by.
	keys atomic.Pointer[signature.Keyring]

	// gaits are those of people who look.
	gaits gaits

	mu sync.Mutex
	// calls are the turns to ask other hosts, see repo.call.
	calls *slots.Slots
	// searches are those in what servers list, see account.desk.
	searches *slots.Slots
	// large is the turn to look up a repository that lists much, and askers are the
	// places of who waits for it, see account.large.
	large, askers *slots.Slots

	repos  map[string]*repo
	added  int // how many repositories were ever new, see crowd
	stores map[string]*git.Store
	// idle is since when no repository uses a store, by its folder; tidied is when
	// unused folders were removed last.
	idle   map[string]time.Time
	tidied time.Time
	// folders has the mirror folders that are no Git repositories, by path.
	folders map[string]*mirror.Folder

	wakeLocal, wakeRemote chan struct{}
	running               atomic.Bool
}

// New makes a Registry. It writes into the cache folder, and opens no
// connection before the first Snapshot.
func New(opts Options) (*Registry, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	dir, lock, err := takeSlot(opts.CacheDir)
	if err != nil {
		return nil, err
	}
	dropOutworn(dir, time.Now()) // against times of files, which are the file system's
	command, err := git.NewCommand(filepath.Join(dir, "home"), opts.Limits.Operation)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	r := &Registry{
		opts: opts, dir: dir, lock: lock, command: command,
		mirrors: mirror.NewTable(opts.Mirrors), memory: cache.New[string, any](opts.Limits.MemoryBytes), room: archive.NewRoom(opts.Limits.UnpackedBytes),
		news: newNews(), calls: slots.New(calls), searches: slots.Shares(searches, searchesEach), large: slots.New(1), askers: slots.Shares(askers, askerEach), repos: map[string]*repo{}, stores: map[string]*git.Store{}, folders: map[string]*mirror.Folder{},
		idle: map[string]time.Time{}, tidied: opts.Clock(),
		wakeLocal: make(chan struct{}, 1), wakeRemote: make(chan struct{}, 1),
	}
	if opts.Logins {
		r.logins = logins.New(command, opts.Log)
	}
	if err := r.openLocked(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// openLocked opens the mirror folders with a lock.
func (r *Registry) openLocked() error {
	l := r.opts.Limits
	for _, dir := range r.opts.Locked {
		if _, err := os.Stat(filepath.Join(dir, lockfile.Name)); err != nil {
			return fmt.Errorf("cannot use mirror folder %s: %w; run `causeway mirror` first, or correct the path", dir, err)
		}
		m, err := lockfile.Open(dir, lockfile.Settings{Command: r.command, Memory: r.memory, FileBytes: l.FileBytes, TreeBytes: l.TreeBytes, Files: l.Files})
		if err != nil {
			return err
		}
		r.locked = append(r.locked, m)
	}
	return nil
}

// Close ends the processes that read the stores and gives the cache folder
// free. Trees cannot be read afterwards.
func (r *Registry) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.stores {
		s.Close()
	}
	errs := []error{r.lock.Close()}
	for _, m := range r.locked {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

// Snapshot resolves a reference. Between two look-ups of its repository it
// answers from memory. Errors are Problems that name the repository; the
// one of a repository that answered before and does not now is Unreachable.
func (r *Registry) Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	snap, err := r.snapshot(ctx, ref)
	if err != nil {
		return nil, r.advised(located(unpermitted(err, ref), ref))
	}
	out := *snap
	out.Ref = ref
	return &out, nil
}

func (r *Registry) snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	if err := refuse(ref); err != nil {
		return nil, err
	}
	if err := r.refuseDeclared(ctx, ref); err != nil {
		return nil, err
	}
	for _, m := range r.locked {
		if _, found := m.Find(ref); found && r.withholds(ref) {
			return nil, withheld(ref)
		}
		if snap, found, err := m.Snapshot(ref); found {
			return snap, err
		}
	}
	by := askedBy(ref)
	return follow(ctx, r, ref, func(at gitops.SourceRef) (*gitops.Snapshot, error) { return r.read(ctx, at, by) })
}

// read reads a repository where it is, for who may have asked for another address.
func (r *Registry) read(ctx context.Context, ref gitops.SourceRef, by asked) (*gitops.Snapshot, error) {
	p, err := r.repo(ref)
	if err != nil {
		return nil, err
	}
	w := wantOf(ref)
	snap, err := p.snapshot(ctx, by, w)
	var elsewhere *web.Elsewhere
	if !errors.As(err, &elsewhere) {
		return snap, err
	}
	if w.rule, err = r.opts.Permits(ctx, ref.Project); err != nil {
		return nil, err
	}
	return p.snapshot(ctx, by, w)
}

func wantOf(ref gitops.SourceRef) want {
	return want{chart: ref.Chart, revision: strings.TrimSpace(ref.Revision), passing: ref.PassCredentials}
}

// mostTold bounds what is told of an address, and of a revision, in bytes.
const mostTold = 1 << 10

// located adds where the user wrote the reference, on a copy: the error is
// shared by all who asked.
func located(err error, ref gitops.SourceRef) error {
	var p *gitops.Problem
	if !errors.As(err, &p) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		p = gitops.Problemf(gitops.Unreachable, "%w", err)
	}
	out := *p
	out.Where.RepoURL = gitops.First(gitops.PublicAddress(ref.RepoURL), mostTold)
	out.Where.Revision = gitops.First(ref.Revision, mostTold)
	return &out
}

// unpermitted says that a host was not asked because the project does not
// permit the repository.
func unpermitted(err error, ref gitops.SourceRef) error {
	var refusal *egress.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	p := gitops.Problemf(gitops.Refused, "cannot read %s: %w, and project %q does not permit the repository", gitops.PublicAddress(ref.RepoURL), refusal, ref.Project)
	return p.Do("add it to spec.sourceRepos of the project if it is to be read")
}

// advised says what to do where a server does not let in who asks.
func (r *Registry) advised(err error) error {
	var p *gitops.Problem
	var refusal *access.Refusal
	if r.opts.SignIn != "" && errors.As(err, &p) && errors.As(err, &refusal) {
		p.Fix = r.opts.SignIn
	}
	return err
}

// repo returns the entry of a reference's repository.
func (r *Registry) repo(ref gitops.SourceRef) (*repo, error) {
	rt, err := r.route(ref)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	p, ok := r.repos[rt.key]
	r.mu.Unlock()
	if ok {
		return p, nil
	}
	if err := r.respelled(rt.spelling, ref.Project); err != nil {
		return nil, err
	}
	r.crowd()
	return r.opened(rt), nil
}

// opened is the entry of a route, made unless it is there.
func (r *Registry) opened(rt route) *repo {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.repos[rt.key]; ok {
		return p
	}
	p := &repo{registry: r, key: rt.key, name: rt.name, spelling: rt.spelling, origin: rt.open(), rekeyed: rt.rekeyed, answers: map[want]*answer{}, names: map[string]bool{}, renewals: map[string]*renewal{}, renewing: map[string]bool{}, lines: slots.Shares(calls, lines)}
	p.owned()
	p.due = p.origin.local() // its first poll starts to watch the folder
	r.repos[rt.key] = p
	return p
}

// Changes tells which repositories changed. Changes that come while nobody
// reads are joined, so a slow reader loses none.
func (r *Registry) Changes() <-chan gitops.RepoChange { return r.news.out }

// Refresh looks a repository up again, in whatever form its address is written:
// at once while Run runs, which tells of what moved, else when it is asked for.
// However often that is said before a look begins, it is one look.
func (r *Registry) Refresh(repoURL string) {
	name := address.Name(repoURL)
	for _, p := range r.all() {
		if p.matches(name) {
			p.refresh()
			r.wake(p)
		}
	}
}

// Renew has the repositories of references looked up again for their projects:
// what a Snapshot for these gives from then on was found after it. What others
// know stays known until that has ended, and what they read with a credential of
// their own is not asked for anew. If one of them cannot be read, none is renewed.
func (r *Registry) Renew(refs ...gitops.SourceRef) {
	for _, ref := range refs {
		if _, err := r.route(ref); err != nil {
			return // Snapshot tells
		}
	}
	for _, ref := range refs {
		r.renew(ref)
	}
}

func (r *Registry) renew(ref gitops.SourceRef) {
	by := askedBy(ref)
	for moves := range maxMoves {
		rt, err := r.route(ref)
		if err != nil {
			return
		}
		r.mu.Lock()
		p := r.repos[rt.key]
		r.mu.Unlock()
		if p == nil || moves > 0 && !p.serves(by) {
			return
		}
		to, moved := p.moved()
		p.renewFor(ref.Project)
		r.wake(p)
		if !moved {
			return
		}
		ref.RepoURL = to
	}
}

// CredentialsChanged tells that the CredentialSource may answer otherwise.
// Exactly the repositories with another credential than before are named
// in Changes.
func (r *Registry) CredentialsChanged() {
	for _, p := range r.all() {
		if !p.rekeyed() {
			continue
		}
		r.news.add(p.key, p.everything())
		r.mu.Lock()
		delete(r.repos, p.key)
		r.mu.Unlock()
	}
}

func (r *Registry) all() []*repo {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]*repo, 0, len(r.repos))
	for _, p := range r.repos {
		out = append(out, p)
	}
	return out
}

// store returns the bare store of a folder name; repositories with one address
// share it where one way leads there, see wayOf.
func (r *Registry) store(name string) *git.Store {
	dir := filepath.Join(r.dir, name)
	if s, ok := r.stores[dir]; ok {
		return s
	}
	s := git.NewStore(r.command, dir, r.memory, r.opts.Limits.FileBytes).Logging(r.opts.Log)
	r.stores[dir] = s
	return s
}

func (r *Registry) wake(p *repo) {
	c := r.wakeRemote
	if p.origin.local() {
		c = r.wakeLocal
	}
	select {
	case c <- struct{}{}:
	default: // a wake-up is on its way
	}
}

func (r *Registry) now() time.Time { return r.opts.Clock() }
