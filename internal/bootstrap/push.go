package bootstrap

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// pushTime bounds a push, with the time to answer git's questions.
const pushTime = 5 * time.Minute

// Pushed says what was pushed where.
type Pushed struct {
	Branch string
	// To is the name of a remote, or an address fit for messages.
	To string
}

// Push pushes the branch of the work tree: to the repository of the fleet, or
// where none is named to the remote of the work tree. Git signs in with the
// credentials that it has. What is there already is pushed again, to no effect.
func (s Scaffold) Push(ctx context.Context, repository string) (Pushed, error) {
	out, err := s.push(ctx, repository)
	if err != nil {
		return out, gitops.Problemf(gitops.Invalid, "cannot push the layout from %s: %w", s.Dir, err).
			Do("mend that and run it again, or leave --push out and push it yourself; it is committed")
	}
	return out, nil
}

// Pushes tells what a Push would push where. It asks no server.
func (s Scaffold) Pushes(ctx context.Context, repository string) (Pushed, error) {
	branch, to, err := s.target(ctx, repository)
	if err != nil {
		return Pushed{}, gitops.Problemf(gitops.Invalid, "cannot push the layout from %s: %w", s.Dir, err).
			Do("mend that, or leave --push out and push it yourself")
	}
	return Pushed{Branch: branch, To: gitops.PublicAddress(to)}, nil
}

func (s Scaffold) push(ctx context.Context, repository string) (Pushed, error) {
	branch, to, err := s.target(ctx, repository)
	if err != nil {
		return Pushed{}, err
	}
	_, err = s.git(ctx, pushTime, "push", "--quiet", "--", to, "refs/heads/"+branch+":refs/heads/"+branch)
	return Pushed{Branch: branch, To: gitops.PublicAddress(to)}, err
}

// target is the branch of the work tree, and where it is pushed.
func (s Scaffold) target(ctx context.Context, repository string) (branch, to string, err error) {
	if branch, err = s.git(ctx, commitTime, "symbolic-ref", "--short", "HEAD"); err != nil {
		return "", "", errors.New("no branch is checked out in the work tree")
	}
	to, err = s.remote(ctx, repository)
	return branch, to, err
}

// remote is where the work tree is pushed: the remote with the repository's
// address, or else the address itself.
func (s Scaffold) remote(ctx context.Context, repository string) (string, error) {
	text, err := s.git(ctx, commitTime, "remote")
	if err != nil {
		return "", err
	}
	names := strings.Fields(text)
	if repository == "" {
		return only(names)
	}
	for _, name := range names {
		known, err := s.git(ctx, commitTime, "remote", "get-url", "--push", "--", name)
		if err == nil && sameRepository(known, repository) {
			return name, nil
		}
	}
	return repository, nil
}

// only is the remote that is meant where no repository is named.
func only(names []string) (string, error) {
	switch {
	case slices.Contains(names, "origin"):
		return "origin", nil
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", errors.New("the work tree has no remote: name one with git remote add origin URL, or the repository with --repo")
	}
	return "", errors.New("the work tree has several remotes, and none is called origin: name the repository with --repo")
}

// sameRepository reports whether two addresses lead to one repository, be it by
// SSH or by HTTPS.
func sameRepository(a, b string) bool {
	x, err := address.Parse(a)
	y, err2 := address.Parse(b)
	if err != nil || err2 != nil {
		return a == b
	}
	place := func(at address.Address) string {
		return at.Hostname() + "/" + strings.TrimSuffix(strings.Trim(at.Path, "/"), ".git")
	}
	return place(x) == place(y)
}
