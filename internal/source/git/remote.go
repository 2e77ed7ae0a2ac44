package git

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Credential gives the credential for one operation; it may mint a token.
type Credential func(context.Context) (access.Credential, error)

// Remote is a repository elsewhere whose objects are fetched into a Store.
type Remote struct {
	store *Store
	at    address.Address
	cred  Credential
	// login is asked once the server wants to know who asks; nil for nobody.
	login func(context.Context) access.Credential
	// signed is what login answered.
	signed atomic.Pointer[access.Credential]
	// spelled is the address as the server wants it written; nil for as it is.
	spelled atomic.Pointer[address.Address]
	// completed are abbreviated commits; the store's mu guards them.
	completed map[string]string

	now func() time.Time
	// spent is what was looked through in the references.
	spent *ledger

	mu   sync.Mutex
	last *View
	seen string // fingerprint of a local repository at the last look
	// stand is read in place of a local repository, which is at place.
	stand *StandIn
	place Place
}

// OriginSuffix ends the name of a folder beside that of a store: it is read in
// place of a local repository.
const OriginSuffix = ".origin"

// NewRemote makes a Remote; it opens no connection.
func NewRemote(store *Store, at address.Address, cred Credential) *Remote {
	r := &Remote{store: store, at: at, cred: cred, now: time.Now}
	r.spent = newLedger(func() time.Time { return r.now() })
	if at.Scheme == "file" {
		r.stand = newStandIn(store.command, store.dir+OriginSuffix)
	}
	return r
}

// Asking has the Remote sign in with what login answers, once the server wants
// to know who asks.
func (r *Remote) Asking(login func(context.Context) access.Credential) *Remote {
	r.login = login
	return r
}

// Clocked has the Remote take the time from a clock.
func (r *Remote) Clocked(now func() time.Time) *Remote {
	r.now = now
	return r
}

// View is what one look-up found.
type View struct {
	remote *Remote
	refs   *refs
	gaps   *gaps
	turn   Turn
	desk   Desk
	// made is the store's count when the view was.
	made uint64
}

// atOnce is the turn of who waits for none.
func atOnce(context.Context) (end func(), err error) { return func() {}, nil }

// unasked is the desk of who has no account.
func unasked(context.Context) (account string, end func(), err error) { return "", func() {}, nil }

// By is the view for somebody who takes a turn each time that the server is asked,
// and asks at a desk each time that the references are searched.
func (v *View) By(t Turn, d Desk) *View {
	out := *v
	out.turn, out.desk = t, d
	return &out
}

// Stale reports whether the view's objects are lost and a new look-up is due.
func (v *View) Stale() bool {
	s := v.remote.store
	return s.Damaged() || s.made.Load() != v.made || v.refs.lost.Load()
}

// Turns are those of a look-up: one to ask the server, and another one where it
// lists so much that there is no room for many such look-ups. Nobody waits for the
// one with the other.
type Turns struct{ Ask, Large Turn }

// Look is LookBy for who waits for nobody.
func (r *Remote) Look(ctx context.Context) (*View, error) {
	return r.LookBy(ctx, Turns{Ask: atOnce, Large: atOnce})
}

// LookBy asks the repository for all its references. When none has moved
// since the last look it returns the same View.
func (r *Remote) LookBy(ctx context.Context, turns Turns) (*View, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.store.use()
	mark, err := r.follow(ctx)
	if err != nil {
		return nil, err
	}
	if r.last != nil && mark != "" && mark == r.seen && !r.last.Stale() {
		return r.last, nil
	}
	found, err := r.list(ctx, turns)
	if err != nil {
		return nil, err
	}
	found.spent = r.spent
	r.seen = mark
	if r.last != nil && r.last.refs.sum == found.sum && !r.last.Stale() {
		return r.last, nil
	}
	if err := r.mend(); err != nil {
		return nil, err
	}
	r.last = &View{remote: r, refs: found, gaps: &gaps{}, turn: atOnce, desk: unasked, made: r.store.made.Load()}
	return r.last, nil
}

// mend makes the store ready, and anew when it is damaged.
func (r *Remote) mend() error {
	r.store.writing.Lock()
	defer r.store.writing.Unlock()
	return r.store.prepare()
}

func (r *Remote) target() string {
	if r.stand != nil {
		return r.stand.dir
	}
	at := r.spelling()
	return at.String()
}

// follow brings the stand-in of a local repository up to date. It returns a
// cheap fingerprint of the repository; empty for one elsewhere.
func (r *Remote) follow(ctx context.Context) (string, error) {
	if r.stand == nil {
		return "", nil
	}
	folder, err := filepath.EvalSymlinks(r.at.Path)
	if err != nil {
		return "", notThere(r.at.Path, err)
	}
	if mark := localMark(folder, r.place); mark != "" && mark == r.seen && r.stand.there() {
		return mark, nil
	}
	p, ok, err := r.store.command.locate(ctx, folder)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", notThere(r.at.Path, errors.New("it does not appear to be a git repository"))
	}
	r.place = p
	// The fingerprint comes first: what changes meanwhile is seen the next time.
	mark := localMark(folder, p)
	return mark, r.stand.follow(ctx, p)
}

// errand is a git command that talks to a remote.
type errand struct {
	dir, what string
	args      []string
	// memory and within are those of the session.
	memory int
	within time.Duration
	// env goes to git beside what the session has.
	env []string
}

// sink takes output, and forgets it where the command is run once more.
type sink interface {
	io.Writer
	Reset()
}

// callInto runs a git command that talks to the remote, in a repository of the
// engine's own; an empty one where the errand names none. What it writes goes on as it
// comes.
func (r *Remote) callInto(ctx context.Context, out sink, e errand) error {
	cred, err := r.cred(ctx)
	if err != nil {
		return err
	}
	if cred.Unsupported != "" {
		return gitops.Problemf(gitops.Refused, "%s is not supported yet", cred.Unsupported).Do("use a password, token or SSH key in the repository Secret")
	}
	if known := r.signed.Load(); known != nil {
		cred = *known
	}
	err = r.try(ctx, out, cred, e)
	if unnamed(err) && r.login != nil {
		if login := r.login(ctx); login.SignsIn() {
			cred = login
			r.signed.Store(&login)
			out.Reset()
			err = r.try(ctx, out, cred, e)
		}
	}
	for n := 0; n < spellings && r.redirected(err, cred); n++ {
		before := r.target()
		if err = r.elsewhere(ctx, cred, err); err == nil {
			out.Reset()
			e = e.at(before, r.target())
			err = r.try(ctx, out, cred, e)
		}
	}
	if err != nil {
		r.spelled.Store(nil)
		return explain(err, e.what, r.named(cred))
	}
	return nil
}

// at is the errand at another address.
func (e errand) at(before, now string) errand {
	e.args = slices.Clone(e.args)
	for i, arg := range e.args {
		if arg == before {
			e.args[i] = now
		}
	}
	return e
}

// try runs a git command with a credential.
func (r *Remote) try(ctx context.Context, out io.Writer, cred access.Credential, e errand) error {
	s, err := r.store.command.open(r.at, cred)
	if err != nil {
		return unwritable(err)
	}
	defer s.close()
	if r.stand != nil {
		s = r.stand.serving(s)
	}
	s.memory, s.within = e.memory, e.within
	s.env = append(s.env, e.env...)
	err = r.store.command.runInto(ctx, e.dir, s, nil, out, e.args...)
	if refused := s.refused(); err != nil && refused != nil {
		err = refused
	}
	return err
}

// named is a credential with the user and password of the address.
func (r *Remote) named(cred access.Credential) access.Credential {
	if r.at.Password != "" {
		cred.Password, cred.Username = access.Secret(r.at.Password), r.at.User
	}
	return cred
}
