package source

import (
	"context"
	"strings"
)

// Remotes lists the repositories that the checkout knows, by name, with
// their addresses as they are written in its own configuration, without the
// files that it includes.
func (l *Local) Remotes(ctx context.Context) (map[string]string, error) {
	return l.checkout.Remotes(ctx)
}

// DefaultBranch is the branch that origin's HEAD names, else main or master
// where there is one, else the branch that is checked out; empty when none
// of them is known.
func (l *Local) DefaultBranch(ctx context.Context) (string, error) {
	lines, err := l.checkout.Lines(ctx, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
	if err != nil {
		return "", err
	}
	if len(lines) == 1 {
		return strings.TrimPrefix(lines[0], "refs/remotes/origin/"), nil
	}
	for _, name := range []string{"main", "master"} {
		for _, ref := range []string{"refs/remotes/origin/" + name, "refs/heads/" + name} {
			hash, err := l.checkout.Resolve(ctx, ref)
			if err != nil {
				return "", err
			}
			if hash != "" {
				return name, nil
			}
		}
	}
	return l.BranchOf(ctx, "HEAD")
}

// BranchOf is the branch that a revision is: HEAD, a branch, or one of a
// remote, without the remote's name. For a commit, or a detached HEAD as in
// CI, it is the branch whose tip that commit is; empty when there is none,
// or several without the default one among them.
func (l *Local) BranchOf(ctx context.Context, revision string) (string, error) {
	revision = orHead(revision)
	full, err := l.checkout.Lines(ctx, "rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", revision)
	if err != nil {
		return "", err
	}
	// git repeats the option that ends options.
	for _, ref := range full {
		if b := branchName(ref); b != "" {
			return b, nil
		}
	}
	hash, err := l.checkout.Resolve(ctx, revision)
	if err != nil || hash == "" {
		return "", err
	}
	tips, err := l.checkout.Lines(ctx, "for-each-ref", "--points-at="+hash, "--format=%(refname)", "refs/heads", "refs/remotes")
	if err != nil {
		return "", err
	}
	return l.only(ctx, tips)
}

// only is the one branch among references; of several the default one.
func (l *Local) only(ctx context.Context, refs []string) (string, error) {
	names := map[string]bool{}
	last := ""
	for _, ref := range refs {
		if b := branchName(ref); b != "" && b != "HEAD" {
			names[b], last = true, b
		}
	}
	if len(names) < 2 {
		return last, nil
	}
	lines, err := l.checkout.Lines(ctx, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
	if err != nil {
		return "", err
	}
	for _, name := range append(lines, "main", "master") {
		if name = strings.TrimPrefix(name, "refs/remotes/origin/"); names[name] {
			return name, nil
		}
	}
	return "", nil
}

// branchName is a branch's name without refs/heads/ or refs/remotes/NAME/.
func branchName(ref string) string {
	if b, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		return b
	}
	if rest, ok := strings.CutPrefix(ref, "refs/remotes/"); ok {
		_, b, _ := strings.Cut(rest, "/")
		return b
	}
	return ""
}
