package source

import (
	"context"
	"errors"
	"fmt"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// maxMoves is at how many addresses a repository is looked for, one after the other.
const maxMoves = 4

// movedView is a look-up whose server sends on who signs in: the address of the
// repository that it sends on to. Each project is asked by itself whether it may
// read that.
type movedView string

func (v movedView) snapshot(context.Context, want, account) (*gitops.Snapshot, error) {
	return nil, git.SentOn(string(v))
}

// follow does what is done with the repository of a reference where that is: as
// if the address had been written that its server sends on to.
func follow[T any](ctx context.Context, r *Registry, ref gitops.SourceRef, do func(gitops.SourceRef) (T, error)) (T, error) {
	at := ref
	for range maxMoves {
		out, err := do(at)
		var moved *git.Moved
		if !errors.As(err, &moved) {
			return out, led(err, ref, at)
		}
		if at, err = r.admit(ctx, at, moved.To); err != nil {
			return out, err
		}
	}
	var none T
	return none, gitops.Problemf(gitops.Refused, "cannot read %s: servers send on more than %d times, at last to %s", gitops.PublicAddress(ref.RepoURL), maxMoves-1, gitops.PublicAddress(at.RepoURL)).
		Do("write the address where the repository is as repoURL")
}

// admit is a reference to where a server sends on, for whose project permits that
// as it has to permit what is written. It is read with the credential that belongs
// to it.
func (r *Registry) admit(ctx context.Context, ref gitops.SourceRef, to string) (gitops.SourceRef, error) {
	rule, err := r.opts.Permits(ctx, ref.Project)
	if err != nil {
		return ref, err
	}
	permits, err := rule.Admits(gitops.SourceRef{RepoURL: to})
	if err != nil {
		return ref, err
	}
	what, public := fmt.Sprintf("cannot read %s: its server sends on to %s", gitops.PublicAddress(ref.RepoURL), gitops.PublicAddress(to)), gitops.PublicAddress(to)
	if !permits || ref.Anonymous {
		return ref, gitops.Problemf(gitops.Refused, "%s, which project %q does not permit", what, ref.Project).
			Do("write " + public + " as repoURL, and add it to spec.sourceRepos of the project, if it is to be read")
	}
	ref.RepoURL = to
	if r.logins == nil && !r.credential(ref).SignsIn() {
		return ref, gitops.Problemf(gitops.Refused, "%s, which no repository Secret is for", what).
			Do("write " + public + " as repoURL, and add a repository Secret for it if it is not open to everybody")
	}
	return ref, nil
}

// led says of an error that it is about another address than was written.
func led(err error, from, at gitops.SourceRef) error {
	var p *gitops.Problem
	if from.RepoURL == at.RepoURL || !errors.As(err, &p) {
		return err
	}
	out := *p
	out.What += "; the server of what is written sends on to " + gitops.PublicAddress(at.RepoURL)
	return &out
}

// moved is where the server sent on at the last look-up.
func (p *repo) moved() (to string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := p.view.(movedView)
	return string(v), ok
}

// serves reports whether somebody asks for something of the repository, by
// whatever address was written.
func (p *repo) serves(by asked) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.answers {
		if _, ok := a.users[by]; ok {
			return true
		}
	}
	return false
}
