package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Checkout is a user's own repository with or without a work tree, of which
// objects are read where they lie. Nothing in it is changed, and nothing that
// it configures is run.
type Checkout struct {
	Place

	command *Command
	store   *Store
	stand   *StandIn
	scratch string
	places  places
}

// OpenCheckout finds the repository that a folder belongs to. What is made of
// it, and of uncommitted edits, is kept in the scratch folder.
func OpenCheckout(ctx context.Context, c *Command, folder, scratch string, memory *Objects, limit int64) (*Checkout, error) {
	p, err := c.find(ctx, folder)
	if err != nil {
		return nil, err
	}
	k := &Checkout{Place: p, command: c, scratch: scratch, stand: newStandIn(c, filepath.Join(scratch, "checkout.git"))}
	if err := k.stand.follow(ctx, p); err != nil {
		return nil, err
	}
	k.store = reading(c, k.stand.dir, p.Common, memory, limit)
	return k, nil
}

// Store reads the repository's objects.
func (k *Checkout) Store() *Store { return k.store }

// run runs git in the stand-in as the repository is now.
func (k *Checkout) run(ctx context.Context, args ...string) (string, error) {
	if err := k.stand.follow(ctx, k.Place); err != nil {
		return "", err
	}
	out, err := k.command.run(ctx, k.stand.dir, session{}, nil, args...)
	return strings.TrimSpace(string(out)), err
}

// Remotes are the addresses of the remotes by name, as the repository's own
// configuration has them.
func (k *Checkout) Remotes(ctx context.Context) (map[string]string, error) {
	if err := k.stand.follow(ctx, k.Place); err != nil {
		return nil, err
	}
	return k.stand.remotes(), nil
}

// Shallow reports whether the history is cut off, as CI systems do it.
func (k *Checkout) Shallow() bool {
	_, err := os.Stat(filepath.Join(k.Common, "shallow"))
	return err == nil
}

// Resolve returns the commit that any name of git stands for; empty when
// there is none.
func (k *Checkout) Resolve(ctx context.Context, revision string) (string, error) {
	if revision == "" {
		revision = "HEAD"
	}
	hash, err := k.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	return quiet(hash, err)
}

// quiet makes an answer of nothing of git's way to say so: exit code 1, or
// 128 with what it could not parse.
func quiet(out string, err error) (string, error) {
	var f *failure
	if errors.As(err, &f) && f.timeout == 0 && f.exited() {
		return "", nil
	}
	return out, err
}

// exited reports whether git ended by itself, not by the context.
func (f *failure) exited() bool {
	return !errors.Is(f.err, context.Canceled) && !errors.Is(f.err, context.DeadlineExceeded)
}

// MergeBase returns the commit where two commits parted; empty when they
// have none in the history that is there.
func (k *Checkout) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := quiet(k.run(ctx, "merge-base", a, b))
	first, _, _ := strings.Cut(out, "\n")
	return first, err
}

// Lines runs a command that only reads, and splits its output; what git
// refuses to tell is nothing.
func (k *Checkout) Lines(ctx context.Context, args ...string) ([]string, error) {
	out, err := quiet(k.run(ctx, args...))
	if out == "" || err != nil {
		return nil, err
	}
	return strings.Split(out, "\n"), nil
}

// lacking says what a repository that is not ours lacks.
func (s *Store) lacking(err error) error {
	p := &gitops.Problem{Kind: gitops.NotFound, What: fmt.Sprintf("the repository %s lacks an object: %v", s.foreign, err), Err: err}
	if _, e := os.Stat(filepath.Join(s.foreign, "shallow")); e == nil {
		return p.Do("fetch the whole history: `git fetch --unshallow`, or fetch-depth: 0 in a CI job")
	}
	return p.Do("run `git fsck`; in a partial clone fetch without --filter")
}
