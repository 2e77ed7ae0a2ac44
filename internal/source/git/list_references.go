package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

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

// What a server has to keep to while others wait until it has listed much: the
// time, in which a slow one sends as much as any repository has, and over the web
// bytes a second, below which it may stay for some seconds.
const (
	largeWithin = time.Minute
	largePace   = 64 << 10
	largePauses = 20
)

// list asks the repository for its references.
func (r *Remote) list(ctx context.Context, turns Turns) (*refs, error) {
	out, err := r.store.command.newListing()
	if err != nil {
		return nil, err
	}
	e := errand{what: lookingUp, args: []string{"ls-remote", "--symref", "--quiet", "--", r.target()}, memory: r.boundOf(smallLook)}
	err = r.listInto(ctx, turns.Ask, out, e)
	if out.err == nil && starved(err) {
		err = r.listLarge(ctx, turns.Large, out, e)
	}
	if out.err == nil && err != nil {
		out.err = err
	}
	return out.end()
}

// listInto lists in a turn.
func (r *Remote) listInto(ctx context.Context, turn Turn, out *listing, e errand) error {
	end, err := turn(ctx)
	if err != nil {
		return err
	}
	defer end()
	out.Reset()
	return r.callInto(ctx, out, e)
}

// listLarge is for a repository that lists much.
func (r *Remote) listLarge(ctx context.Context, turn Turn, out *listing, e errand) error {
	err := r.listInto(ctx, turn, out, r.large(e))
	if starved(err) {
		out.refuse("what it lists takes git more than %d MiB of memory", largeLook>>20)
	}
	var p *gitops.Problem
	if errors.As(err, &p) && p.Kind == gitops.Unreachable && p.Fix == "" {
		slow := *p
		return slow.Do(fmt.Sprintf("it lists more than others do, for which its server has %s: delete branches and tags that nobody needs there, or deploy from a repository of its own", largeWithin))
	}
	return err
}

// large is an errand that others wait for.
func (r *Remote) large(e errand) errand {
	e.memory, e.within = r.boundOf(largeLook), largeWithin
	e.env = []string{fmt.Sprintf("GIT_HTTP_LOW_SPEED_LIMIT=%d", largePace), fmt.Sprintf("GIT_HTTP_LOW_SPEED_TIME=%d", largePauses)}
	return e
}

// boundOf is what git may hold for a server, in bytes. A folder of this machine is
// no stranger's.
func (r *Remote) boundOf(bytes int) int {
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
