package git

import (
	"context"
	"errors"
	"fmt"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// fetch brings a commit into the store: alone when the server allows that,
// else with all branches and tags. One that is not to be had that way either is
// not asked for again for a while.
func (v *View) fetch(ctx context.Context, hash, ref string) error {
	r := v.remote
	asked := false
	err := r.store.flights.lead(ctx, hash, v.turn, func() (bool, error) { return v.settled(ctx, hash, ref) }, func() error {
		asked = true
		return r.alone(ctx, hash, ref)
	})
	if err == nil || !asked || !notOurs(err) {
		return err
	}
	err = v.whole(ctx)
	if err == nil && !r.store.has(ctx, hash) {
		err = errMissing
	}
	if err != nil && ref == "" && ctx.Err() == nil {
		v.gaps.note(hash, err, r.now())
	}
	return err
}

// settled tells that a commit is not to be fetched: it is there, or was looked
// for a while ago.
func (v *View) settled(ctx context.Context, hash, ref string) (bool, error) {
	if v.remote.store.has(ctx, hash) {
		return true, nil
	}
	if ref != "" {
		return false, nil
	}
	err := v.gaps.of(hash, v.remote.now())
	return err != nil, err
}

// alone fetches one commit.
func (r *Remote) alone(ctx context.Context, hash, ref string) error {
	what := "cannot fetch " + hash
	if ref != "" {
		what = fmt.Sprintf("cannot fetch %s (%s)", ref, hash[:7])
	}
	get := func(in *incoming) error {
		return r.into(ctx, in, what, "--no-tags", "--depth=1", "--", r.target(), "+"+hash+":refs/causeway/"+hash)
	}
	err := r.bring(ctx, get, one(hash))
	if !r.store.suspect(err, hash) {
		return err
	}
	return r.bring(ctx, get, one(hash))
}

// whole fetches all branches and tags, once in a view: what is not there then
// is not in the repository.
func (v *View) whole(ctx context.Context) error {
	if err := v.refs.few(); err != nil {
		return err
	}
	r := v.remote
	return r.store.flights.lead(ctx, v.gaps, v.turn, func() (bool, error) { return v.gaps.whole(r.now()) }, func() error {
		err := r.everything(ctx)
		v.gaps.fetched(ctx, err, r.now())
		return err
	})
}

// everything fetches all branches and tags with their history.
func (r *Remote) everything(ctx context.Context) error {
	return r.bring(ctx, func(in *incoming) error {
		args := []string{"--force", "--prune"}
		if len(in.shallow) > 0 {
			args = append(args, "--unshallow")
		}
		args = append(args, "--", r.target(), "+refs/heads/*:"+mirrored+"heads/*", "+refs/tags/*:"+mirrored+"tags/*")
		return r.into(ctx, in, "cannot fetch the repository", args...)
	}, branchesAndTags)
}

// bring fetches beside the store, and has the store take what came as a whole.
// No lock is held while the server is asked. Where the store was made anew
// meanwhile, what came builds on what is gone, and is fetched again.
func (r *Remote) bring(ctx context.Context, get func(*incoming) error, as func(context.Context, *incoming) ([]string, error)) error {
	err := r.once(ctx, get, as)
	if errors.Is(err, errMadeAnew) {
		return r.once(ctx, get, as)
	}
	return err
}

func (r *Remote) once(ctx context.Context, get func(*incoming) error, as func(context.Context, *incoming) ([]string, error)) error {
	in, err := r.store.incoming(ctx)
	if err != nil {
		return err
	}
	defer in.remove()
	if err := get(in); err != nil {
		if in.outdated() {
			return errMadeAnew
		}
		return err
	}
	return r.store.accept(ctx, in, as)
}

// into runs git fetch in a repository.
func (r *Remote) into(ctx context.Context, in *incoming, what string, args ...string) error {
	e := errand{dir: in.dir, what: what, memory: r.boundOf(r.store.command.fetchMemory)}
	e.args = append([]string{"fetch", "--quiet", "--no-write-fetch-head", "--no-auto-maintenance"}, args...)
	err := r.callInto(ctx, &bounded{limit: outputLimit}, e)
	if !errors.Is(err, errStarved) {
		return err
	}
	return &gitops.Problem{
		Kind: gitops.Invalid, What: fmt.Sprintf("%s: what it has takes git more than %d MiB of memory", what, e.memory>>20), Err: err,
		Fix: "take out of the repository what is so large, or deploy from one of its own",
	}
}
