package git

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const lookingUp = "cannot look up the repository"

// What git may hold for a look-up, in bytes: it reads all that a server lists
// before it writes any of it. The small one is enough for some 150,000
// references; those that take more are looked up one after the other.
const (
	smallLook = 64 << 20
	largeLook = 448 << 20
)

// list asks the repository for its references.
func (r *Remote) list(ctx context.Context) (*refs, error) {
	out, err := r.store.command.newListing()
	if err != nil {
		return nil, err
	}
	e := errand{what: lookingUp, args: []string{"ls-remote", "--symref", "--quiet", "--", r.target()}, memory: r.lookMemory(smallLook)}
	err = r.listInto(ctx, out, e)
	if out.err == nil && starved(err) {
		err = r.listLarge(ctx, out, e)
	}
	if out.err == nil && err != nil {
		out.err = err
	}
	return out.end()
}

func (r *Remote) listInto(ctx context.Context, out *listing, e errand) error {
	out.Reset()
	return r.callInto(ctx, out, e)
}

// listLarge is for a repository that lists much. It waits until no other one is
// looked up so.
func (r *Remote) listLarge(ctx context.Context, out *listing, e errand) error {
	turn := r.store.command.large
	select {
	case <-ctx.Done():
		return ctx.Err()
	case turn <- struct{}{}:
		defer func() { <-turn }()
	}
	e.memory = r.lookMemory(largeLook)
	err := r.listInto(ctx, out, e)
	if starved(err) {
		out.refuse("what it lists takes git more than %d MiB of memory", largeLook>>20)
	}
	return err
}

// lookMemory is what a look-up may hold. A folder of this machine is no
// stranger's.
func (r *Remote) lookMemory(bytes int) int {
	if r.stand != nil {
		return 0
	}
	return bytes
}

// starved reports whether git had too little memory.
func starved(err error) bool {
	var p *gitops.Problem
	if err == nil || !errors.As(err, &p) {
		return false
	}
	var exit *exec.ExitError
	text := strings.ToLower(p.What)
	return strings.Contains(text, "out of memory") || strings.Contains(text, "cannot allocate memory") ||
		errors.As(err, &exit) && exit.ExitCode() < 0
}
