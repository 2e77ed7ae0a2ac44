package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// fetch brings a commit into the store: alone when the server allows that,
// else with all branches and tags. One that is not to be had that way either is
// not asked for again for a while.
func (v *View) fetch(ctx context.Context, hash, ref string) error {
	r := v.remote
	if ref == "" {
		if err := v.gaps.of(hash, r.now()); err != nil {
			return err
		}
	}
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if err := r.store.prepare(); err != nil {
		return err
	}
	if r.store.holds(ctx, hash) {
		return nil // fetched by another while this one waited
	}
	err := r.alone(ctx, hash, ref)
	if err != nil && notOurs(err) {
		err = v.whole(ctx)
		if err == nil && !r.store.holds(ctx, hash) {
			err = errMissing
		}
		if err != nil && ref == "" && ctx.Err() == nil {
			v.gaps.note(hash, err, r.now())
		}
	}
	if err == nil {
		r.store.tidy(ctx)
	}
	return err
}

// alone fetches one commit. The caller holds the store's lock.
func (r *Remote) alone(ctx context.Context, hash, ref string) error {
	what := "cannot fetch " + hash
	if ref != "" {
		what = fmt.Sprintf("cannot fetch %s (%s)", ref, hash[:7])
	}
	args := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--depth=1", "--", r.target(), "+" + hash + ":refs/causeway/" + hash}
	_, err := r.call(ctx, what, args...)
	if !r.store.suspect(err, hash) {
		return err
	}
	if err := r.store.prepare(); err != nil {
		return err
	}
	_, err = r.call(ctx, what, args...)
	return err
}

// whole fetches all branches and tags, once in a view: what is not there then
// is not in the repository. The caller holds the store's lock.
func (v *View) whole(ctx context.Context) error {
	if !v.gaps.begin(v.remote.now()) {
		_, err, _ := v.gaps.whole(v.remote.now())
		return err
	}
	err := v.remote.everything(ctx)
	v.gaps.end(ctx, err, v.remote.now())
	return err
}

// everything fetches all branches and tags with their history. The caller
// holds the store's lock.
func (r *Remote) everything(ctx context.Context) error {
	args := []string{"fetch", "--quiet", "--force", "--prune", "--no-write-fetch-head", "--no-auto-maintenance"}
	if _, err := os.Stat(filepath.Join(r.store.dir, "shallow")); err == nil {
		args = append(args, "--unshallow")
	}
	args = append(args, "--", r.target(), "+refs/heads/*:refs/remote/heads/*", "+refs/tags/*:refs/remote/tags/*")
	_, err := r.call(ctx, "cannot fetch the repository", args...)
	return err
}
