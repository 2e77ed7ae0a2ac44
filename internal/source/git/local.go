package git

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Checkout is a user's own repository with or without a work tree, of which
// objects are read where they lie. Nothing in it is changed.
type Checkout struct {
	// Top is the folder of the work tree; empty for a bare repository.
	Top string
	// Dir holds HEAD and the index: .git, or that of a linked work tree.
	Dir string
	// Common holds what all work trees share: objects and branches.
	Common string

	command *Command
	store   *Store
	scratch string
}

// safe keeps commands that the repository's own configuration names from
// being run.
var safe = session{args: []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}}

// OpenCheckout finds the repository that a folder belongs to. Objects made
// of uncommitted edits are kept in the scratch folder.
func OpenCheckout(ctx context.Context, c *Command, folder, scratch string, memory *Objects, limit int64) (*Checkout, error) {
	k := &Checkout{command: c, scratch: scratch}
	out, err := c.at(ctx, folder, "rev-parse", "--absolute-git-dir", "--git-common-dir", "--is-bare-repository")
	if err != nil {
		return nil, notACheckout(folder, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 {
		return nil, fmt.Errorf("cannot open repository %s: git answered %q", folder, out)
	}
	k.Dir, k.Common = lines[0], lines[1]
	if !filepath.IsAbs(k.Common) {
		k.Common = filepath.Join(folder, k.Common)
	}
	if lines[2] != "true" {
		top, err := c.at(ctx, folder, "rev-parse", "--show-toplevel")
		if err != nil {
			return nil, notACheckout(folder, err)
		}
		k.Top = strings.TrimSuffix(string(top), "\n")
	}
	k.store = OpenStore(c, k.Dir, memory, limit, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+k.objects())
	return k, os.MkdirAll(k.objects(), 0o700)
}

// at runs git in a folder, which finds the repository itself.
func (c *Command) at(ctx context.Context, folder string, args ...string) ([]byte, error) {
	s := safe
	s.args = append([]string{"-C", folder}, s.args...)
	return c.run(ctx, "", s, nil, args...)
}

func notACheckout(folder string, err error) error {
	p := &gitops.Problem{Kind: gitops.NotFound, What: fmt.Sprintf("cannot open the repository in %s: %v", folder, err), Err: err}
	var f *failure
	if !errors.As(err, &f) {
		return p
	}
	p.What = fmt.Sprintf("cannot open the repository in %s: %s", folder, tell(f))
	switch {
	case strings.Contains(f.text, "dubious ownership"):
		return p.Do("run as the user that owns the folder, or run `git config --global --add safe.directory " + folder + "`")
	case strings.Contains(f.text, "ermission denied"):
		return p.Do("let the user that runs this read the folder and its .git")
	case strings.Contains(f.text, "not a git repository"):
		return p.Do("name the folder of a Git checkout; in a CI job, check the repository out first")
	}
	return p
}

func (k *Checkout) objects() string { return filepath.Join(k.scratch, "objects") }

// Store reads the repository's objects.
func (k *Checkout) Store() *Store { return k.store }

func (k *Checkout) run(ctx context.Context, args ...string) (string, error) {
	out, err := k.store.command.run(ctx, k.Dir, safe, nil, args...)
	return strings.TrimSpace(string(out)), err
}

// Shallow tells that the history is cut off, as CI systems do it.
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

// exited tells that git ended by itself, not by the context.
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

// Edited commits the work tree as `git add -A` would see it, on top of a
// commit, into the scratch folder. It returns the same commit when nothing
// was edited. The repository and its index stay as they are. Clean filters
// that the checkout's own configuration sets up, such as LFS, run as they do
// for its user.
func (k *Checkout) Edited(ctx context.Context, head string, at time.Time) (string, error) {
	if k.Top == "" {
		return "", gitops.Problemf(gitops.Invalid, "repository %s is bare: it has no work tree", k.Dir).Do("name a revision")
	}
	index, err := k.copyIndex()
	if err != nil {
		return "", err
	}
	defer os.Remove(index)
	write := k.writing(index)
	work := safe
	work.args = append([]string{"--work-tree=" + k.Top, "-C", k.Top}, safe.args...)
	if _, err := write.run(ctx, k.Dir, work, nil, "add", "--all", "--ignore-errors", "--", "."); err != nil {
		return "", fmt.Errorf("cannot read the work tree %s: %w", k.Top, err)
	}
	tree, err := write.run(ctx, k.Dir, safe, nil, "write-tree")
	if err != nil {
		return "", fmt.Errorf("cannot read the work tree %s: %w", k.Top, err)
	}
	return k.commitTree(ctx, write, strings.TrimSpace(string(tree)), head, at)
}

func (k *Checkout) commitTree(ctx context.Context, write *Command, tree, head string, at time.Time) (string, error) {
	args := []string{"commit-tree", tree, "-m", "Uncommitted edits"}
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
	date := fmt.Sprintf("%d +0000", at.Unix())
	as := session{args: append(safe.args[:len(safe.args):len(safe.args)], "-c", "commit.gpgSign=false"), env: []string{
		"GIT_AUTHOR_NAME=Causeway", "GIT_AUTHOR_EMAIL=causeway@localhost", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=Causeway", "GIT_COMMITTER_EMAIL=causeway@localhost", "GIT_COMMITTER_DATE=" + date,
	}}
	out, err := write.run(ctx, k.Dir, as, nil, args...)
	if err != nil {
		return "", fmt.Errorf("cannot keep the uncommitted edits: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// copyIndex makes a copy of the index, which spares reading files that have
// not changed. The copy is as old as the index: git reads those files all the
// same that were written in the second of the index or later.
func (k *Checkout) copyIndex() (string, error) {
	from, err := os.Open(filepath.Join(k.Dir, "index"))
	name := filepath.Join(k.scratch, "index-"+rand.Text())
	if errors.Is(err, os.ErrNotExist) {
		return name, nil // git makes one
	}
	if err != nil {
		return "", fmt.Errorf("cannot read the index of %s: %w", k.Dir, err)
	}
	defer func() { _ = from.Close() }() // it was only read
	info, err := from.Stat()
	if err != nil {
		return "", fmt.Errorf("cannot read the index of %s: %w", k.Dir, err)
	}
	data, err := io.ReadAll(from)
	if err != nil {
		return "", fmt.Errorf("cannot read the index of %s: %w", k.Dir, err)
	}
	if err := errors.Join(os.WriteFile(name, data, 0o600), os.Chtimes(name, info.ModTime(), info.ModTime())); err != nil {
		return "", unwritable(errors.Join(err, os.RemoveAll(name)))
	}
	return name, nil
}

// writing is git with an index and a place for new objects of its own.
func (k *Checkout) writing(index string) *Command {
	c := *k.command
	c.env = append(append([]string{}, k.command.env...), "GIT_INDEX_FILE="+index,
		"GIT_OBJECT_DIRECTORY="+k.objects(), "GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(k.Common, "objects"))
	return &c
}

// lacking says what a repository that is not ours lacks.
func (s *Store) lacking(err error) error {
	p := &gitops.Problem{Kind: gitops.NotFound, What: fmt.Sprintf("the repository %s lacks an object: %v", s.dir, err), Err: err}
	if _, e := os.Stat(filepath.Join(s.dir, "shallow")); e == nil {
		return p.Do("fetch the whole history: `git fetch --unshallow`, or fetch-depth: 0 in a CI job")
	}
	return p.Do("run `git fsck`; in a partial clone fetch without --filter")
}
