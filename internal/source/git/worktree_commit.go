package git

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Edits are the files of a work tree as a commit.
type Edits struct {
	// Commit is the commit they are on top of where nothing was edited.
	Commit string
	// Filtered are edited files that the checkout has a filter for, such as
	// LFS or git-crypt: they are as they stand in the work tree.
	Filtered []string
}

// Edited commits the work tree as `git add -A` would see it, on top of a
// commit, into the stand-in. The repository and its index stay as they are.
// Files are read by the engine itself, and no filter is run: which these are
// is for the checkout to say, and it may be somebody else's.
func (k *Checkout) Edited(ctx context.Context, head string, at time.Time) (Edits, error) {
	if k.Top == "" {
		return Edits{}, gitops.Problemf(gitops.Invalid, "repository %s is bare: it has no work tree", k.Dir).Do("name a revision")
	}
	if err := k.stand.follow(ctx, k.Place); err != nil {
		return Edits{}, err
	}
	e, err := k.edition()
	if err != nil {
		return Edits{}, err
	}
	defer e.close()
	edited, err := e.changes(ctx)
	if err != nil {
		return Edits{}, e.unread(err)
	}
	if err := e.take(edited); err != nil {
		return Edits{}, e.unread(err)
	}
	filtered, err := e.filtered(ctx, edited)
	if err != nil {
		return Edits{}, e.unread(err)
	}
	if edited, filtered, err = e.touched(ctx, edited, filtered); err != nil {
		return Edits{}, e.unread(err)
	}
	tree, err := e.write(ctx, edited)
	if err != nil {
		return Edits{}, e.unread(err)
	}
	commit, err := k.commitTree(ctx, tree, head, at)
	return Edits{Commit: commit, Filtered: filtered}, err
}

func (k *Checkout) commitTree(ctx context.Context, tree, head string, at time.Time) (string, error) {
	args := []string{tree}
	if head != "" {
		data, err := k.store.object(head, "commit")
		if err != nil {
			return "", err
		}
		if bytes.HasPrefix(data, []byte("tree "+tree+"\n")) {
			return head, nil
		}
		args = append(args, "-p", head)
	}
	into := &Store{command: k.command, dir: k.stand.dir, foreign: k.Common}
	return into.commitTree(ctx, at, "Uncommitted edits\n", args...)
}

// write makes a tree of the index with the edits.
func (e *edition) write(ctx context.Context, edited []edit) (string, error) {
	var gone, there strings.Builder
	for _, one := range edited {
		if one.gone {
			gone.WriteString(one.path + "\x00")
			continue
		}
		there.WriteString(one.path + "\x00")
	}
	for _, step := range []struct {
		names string
		args  []string
	}{
		{gone.String(), []string{"update-index", "--force-remove", "-z", "--stdin"}},
		{there.String(), []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}},
	} {
		if step.names == "" {
			continue
		}
		if _, err := e.run(ctx, e.staged, strings.NewReader(step.names), step.args...); err != nil {
			return "", err
		}
	}
	tree, err := e.run(ctx, e.staged, nil, "write-tree")
	return strings.TrimSpace(string(tree)), err
}
