package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/version"
)

// Snapshot resolves a branch, tag, commit, range or HEAD and makes its
// commit readable, fetching it when the store lacks it.
func (v *View) Snapshot(ctx context.Context, revision string) (*gitops.Snapshot, error) {
	hash, ref, err := v.resolve(ctx, revision)
	if err != nil {
		return nil, err
	}
	r := v.remote
	if !r.store.has(ctx, hash) {
		if err := v.fetch(ctx, hash, ref); err != nil {
			return nil, v.unknown(revision, ref, err)
		}
		if !r.store.has(ctx, hash) {
			return nil, v.unknown(revision, ref, errMissing)
		}
	}
	return r.store.Snapshot(hash, gitops.Origin{RepoURL: r.at.String(), Revision: hash})
}

func (v *View) resolve(ctx context.Context, revision string) (hash, ref string, err error) {
	if strings.HasPrefix(revision, "-") {
		return "", "", gitops.Problemf(gitops.Invalid, "revision %q cannot start with a dash", revision).Do("correct targetRevision")
	}
	if of, err := v.find(ctx, revision); err != nil || of.hash != "" {
		return of.hash, of.ref, err
	}
	lower := strings.ToLower(revision)
	if IsHash(lower) {
		return lower, "", nil
	}
	if isShort(lower) {
		hash, err := v.short(ctx, lower)
		if err != nil || hash != "" {
			return hash, "", err
		}
	}
	return "", "", v.missing(ctx, revision)
}

// Named reports whether a branch or tag leads to what a revision stands for.
func (v *View) Named(ctx context.Context, revision string) (bool, error) {
	if of, err := v.find(ctx, revision); err != nil || of.ref != "" {
		return err == nil, err
	}
	hash, err := v.abbreviated(ctx, strings.ToLower(revision))
	return hash != "", err
}

// find returns what a revision names; nothing where it names nothing. A whole
// commit is no name, and what no reference can be called is not looked for.
func (v *View) find(ctx context.Context, revision string) (named, error) {
	if lower := strings.ToLower(revision); len(lower) == sha1Digits && IsHash(lower) {
		return named{hash: lower}, nil
	}
	if len(revision) > longestRef {
		return named{}, nil
	}
	return v.answer(ctx, sought{revision, byRevision}, func(s search) (named, error) { return s.find(ctx, revision) })
}

// abbreviated finds the one commit at the tip of a branch or tag whose hash starts so.
func (v *View) abbreviated(ctx context.Context, prefix string) (string, error) {
	if !isShort(prefix) {
		return "", nil
	}
	of, err := v.answer(ctx, sought{prefix, byDigits}, func(s search) (named, error) {
		hash, err := s.abbreviated(ctx, prefix)
		return named{hash: hash}, err
	})
	return of.hash, err
}

// answer answers from what was found before, or looks.
func (v *View) answer(ctx context.Context, q sought, look func(search) (named, error)) (of named, err error) {
	if of, ok := v.refs.known.Get(q); ok {
		return of, nil
	}
	err = v.searching(ctx, func(s search) error {
		of, err = v.refs.once(q, func() (named, error) { return look(s) }) // somebody else may have looked meanwhile
		return err
	})
	return of, err
}

// searching searches the references once the account may.
func (v *View) searching(ctx context.Context, do func(search) error) error {
	account, end, err := v.desk(ctx)
	if err != nil {
		return err
	}
	defer end()
	return do(search{v.refs, account})
}

// short completes an abbreviated commit: among the tips of branches and tags, then
// in the history that they lead to. What else is in the store counts for nothing:
// who gets a commit there may choose how its name begins. What was completed once
// stays so.
func (v *View) short(ctx context.Context, prefix string) (string, error) {
	if hash, err := v.abbreviated(ctx, prefix); err != nil || hash != "" {
		return hash, err
	}
	if err := v.gaps.of(prefix, v.remote.now()); err != nil {
		return "", err
	}
	r := v.remote
	if hash := r.known(prefix); hash != "" && r.store.has(ctx, hash) {
		return hash, nil
	}
	if err := r.mend(); err != nil {
		return "", err
	}
	if hash, err := v.among(ctx, prefix); err != nil || hash != "" {
		return r.complete(prefix, hash), err
	}
	if err := v.whole(ctx); err != nil {
		return "", err
	}
	hash, err := v.among(ctx, prefix)
	if err != nil {
		return "", err
	}
	if hash == "" {
		lacking := v.missing(ctx, prefix)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if !gitops.IsProblem(lacking, gitops.NotFound) {
			return "", lacking // it is not known that it is lacking
		}
		v.gaps.note(prefix, lacking, r.now())
	}
	return r.complete(prefix, hash), nil
}

// among completes an abbreviated commit by what the store has of the history.
func (v *View) among(ctx context.Context, prefix string) (hash string, err error) {
	err = v.searching(ctx, func(s search) error {
		hash, err = v.remote.store.among(ctx, prefix, s)
		return err
	})
	return hash, err
}

// known is what an abbreviated commit was completed to.
func (r *Remote) known(prefix string) string {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	return r.completed[prefix]
}

// complete remembers what an abbreviated commit stands for.
func (r *Remote) complete(prefix, hash string) string {
	if hash == "" {
		return ""
	}
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if r.completed == nil || len(r.completed) >= knownCommits {
		r.completed = map[string]string{}
	}
	r.completed[prefix] = hash
	return hash
}

func (v *View) missing(ctx context.Context, revision string) error {
	var like near
	err := v.searching(ctx, func(s search) (err error) {
		like, err = s.near(ctx)
		return err
	})
	if err != nil {
		return err
	}
	names := like.all()
	if len(names) == 0 {
		return gitops.Problemf(gitops.NotFound, "the repository is empty: it has no branches").Do("push a first commit")
	}
	if revision == "" || revision == "HEAD" {
		return gitops.Problemf(gitops.NotFound, "the repository's HEAD names no branch that exists").Do("set targetRevision to one of: " + version.Near("main", names))
	}
	what := fmt.Sprintf("revision %q is no branch, tag or commit", revision)
	if version.IsRange(revision) {
		what = fmt.Sprintf("no tag is within %q", revision)
		if tags := like.tags; len(tags) > 0 {
			return gitops.Problemf(gitops.NotFound, "%s", what).Do("set targetRevision to a range that allows one of: " + strings.Join(tags[:min(5, len(tags))], ", "))
		}
		return gitops.Problemf(gitops.NotFound, "%s: the repository has no tags", what).Do("set targetRevision to one of: " + version.Near(revision, names))
	}
	return gitops.Problemf(gitops.NotFound, "%s", what).Do("set targetRevision to one of: " + version.Near(revision, names))
}

// unknown tells a commit that does not exist from a server that does not answer.
func (v *View) unknown(revision, ref string, err error) error {
	if errors.Is(err, errMissing) && ref != "" {
		return gitops.Problemf(gitops.Unreachable, "%s moved while it was fetched", ref)
	}
	if ref != "" || !notOurs(err) {
		return err
	}
	q := gitops.Problemf(gitops.NotFound, "commit %s is not in the repository", revision).Do("set targetRevision to a commit that was pushed, or to a branch or tag")
	q.Err = err
	return q
}

// notOurs reports whether a server does not have a commit, or does not give it
// away by its hash alone.
func notOurs(err error) bool {
	return errors.Is(err, errMissing) || errors.Is(err, errWithheld)
}
