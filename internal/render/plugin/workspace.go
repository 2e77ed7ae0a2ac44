package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// workspace is the private folder of one run: a copy of the repository and
// an empty home.
type workspace struct{ root, repo, home string }

// newWorkspace writes what a job is given.
func (r *Runner) newWorkspace(ctx context.Context, t *task) (*workspace, error) {
	dir, err := os.MkdirTemp(r.o.TempDir, "plugin-")
	if err != nil {
		return nil, unwritten(t, err)
	}
	w := &workspace{root: dir, repo: filepath.Join(dir, "repo"), home: filepath.Join(dir, "home")}
	if err := w.fill(ctx, t, r.o); err != nil {
		w.remove()
		return nil, err
	}
	return w, nil
}

func (w *workspace) fill(ctx context.Context, t *task, o Options) error {
	for _, dir := range []string{w.repo, w.home} {
		if err := os.Mkdir(dir, 0o700); err != nil { //nolint:mnd // private
			return unwritten(t, err)
		}
	}
	root, err := os.OpenRoot(w.repo)
	if err != nil {
		return unwritten(t, err)
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(t.Path, 0o700); err != nil { //nolint:mnd // private
		return unwritten(t, err)
	}
	c := &copier{ctx: ctx, task: t, root: root, o: o}
	for _, name := range t.Roots {
		digest, err := t.Tree.Digest(name)
		if err != nil {
			return err
		}
		if err := c.copy(name, []string{digest}); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the folder, also where a command took its own rights away.
func (w *workspace) remove() {
	if os.RemoveAll(w.root) == nil {
		return
	}
	_ = filepath.WalkDir(w.root, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700) //nolint:gosec,mnd // so that it can be removed
		}
		return nil
	})
	_ = os.RemoveAll(w.root)
}

// given are the roots that there are. The render is as good as their digests are the same.
func given(s *source.Source) ([]string, error) {
	var out []string
	for _, name := range roots(s) {
		_, err := s.Tree.Digest(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, source.Missing(source.File{Tree: s.Tree, Name: name}, "folder", "", err)
		}
		out = append(out, name)
	}
	return out, nil
}

// roots are the folders and files that a plugin gets: the whole repository,
// or the source's folder and the paths that the application says its
// manifests depend on.
func roots(s *source.Source) []string {
	if s.GeneratePaths == "" {
		return []string{"."}
	}
	out := []string{s.Path}
	for _, p := range strings.Split(s.GeneratePaths, ";") {
		p = strings.TrimSpace(p)
		if p == "" {
			continue
		}
		name, ok := source.Inside(s.Path, fixed(p))
		if !ok {
			continue
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.CompactFunc(out, func(a, b string) bool { return a == b || a == "." || strings.HasPrefix(b, a+"/") })
}

// fixed is the part of a glob before its first wild card.
func fixed(glob string) string {
	i := strings.IndexAny(glob, "*?[{")
	if i < 0 {
		return glob
	}
	dir, _ := path.Split(glob[:i])
	if dir == "" {
		return "."
	}
	return dir
}

// copier writes files.
type copier struct {
	ctx     context.Context //nolint:containedctx // lives for one copy
	task    *task
	root    *os.Root
	o       Options
	files   int
	folders int
	bytes   int64
}

// copy writes a file, or a folder with everything below it. Links are
// written as what they lead to. above are the digests of the folders on the
// way, by which a link to one of them is noticed.
func (c *copier) copy(name string, above []string) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	info, err := c.task.Tree.Stat(name)
	if err != nil {
		return c.left(name, err)
	}
	if !info.IsDir() {
		return c.file(name, info)
	}
	if name != "." && strings.Count(name, "/") >= walk.MaxDepth {
		return gitops.Problemf(gitops.Invalid, "cannot give the repository to a plugin: a folder lies more than %d folders deep", walk.MaxDepth).
			At(c.task.where(gitops.First(name, shownID))).Do("name the paths that the plugin needs by the annotation argocd.argoproj.io/manifest-generate-paths")
	}
	entries, err := c.task.Tree.ReadDir(name)
	if err != nil {
		return c.left(name, err)
	}
	c.folders++
	if err := c.admit(name); err != nil {
		return err
	}
	if err := c.root.MkdirAll(name, 0o700); err != nil { //nolint:mnd // private
		return unwritten(c.task, err)
	}
	for _, e := range entries {
		child := path.Join(name, e.Name())
		if e.Type().IsRegular() {
			if err := c.copy(child, above); err != nil {
				return err
			}
			continue
		}
		digest, err := c.task.Tree.Digest(child)
		if err != nil {
			if err := c.left(child, err); err != nil {
				return err
			}
			continue
		}
		if slices.Contains(above, digest) {
			continue
		}
		if err := c.copy(child, append(above[:len(above):len(above)], digest)); err != nil {
			return err
		}
	}
	return nil
}

// left leaves out what cannot be read, as a link that leaves the repository.
func (c *copier) left(name string, err error) error {
	var p *gitops.Problem
	if errors.As(err, &p) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	c.task.warnings.Add(gitops.Warning{
		Reason: "SkippedFile", Message: "the plugin does not get it: the file or link cannot be read inside the repository", Origin: c.task.where(name),
	})
	return nil
}

// admit holds what was counted against the limits. Folders take room, too, and
// Git keeps those that hold nothing.
func (c *copier) admit(name string) error {
	if max(c.files, c.folders) > c.o.MaxFiles || c.bytes > c.o.MaxBytes {
		return gitops.Problemf(gitops.Invalid, "cannot give the repository to a plugin: it has more than %d files, or folders, or %d MiB", c.o.MaxFiles, c.o.MaxBytes>>20).
			At(c.task.where(name)).Do("name the paths that the plugin needs by the annotation argocd.argoproj.io/manifest-generate-paths")
	}
	return nil
}

func (c *copier) file(name string, info fs.FileInfo) error {
	c.files++
	c.bytes += info.Size()
	if err := c.admit(name); err != nil {
		return err
	}
	text, err := c.task.Tree.ReadFile(name)
	if err != nil {
		return c.left(name, err)
	}
	mode := fs.FileMode(0o600)
	if c.task.plugin.PreserveFileMode && (info.Mode()&0o111 != 0 || bytes.HasPrefix(text, []byte("#!"))) {
		mode = 0o700
	}
	if err := c.root.MkdirAll(path.Dir(name), 0o700); err != nil { //nolint:mnd // private
		return unwritten(c.task, err)
	}
	if err := c.root.WriteFile(name, text, mode); err != nil {
		return unwritten(c.task, err)
	}
	return nil
}

// unwritten is a fault of the machine, without its paths.
func unwritten(t *task, err error) error {
	why := err.Error()
	var p *fs.PathError
	if errors.As(err, &p) {
		why = p.Err.Error()
	}
	return &gitops.Problem{
		Kind: gitops.Unreachable, What: "cannot write the repository for a plugin: " + why, Where: t.where(t.Path),
		Fix: "look at the space and the rights of the engine's temporary folder", Err: fmt.Errorf("%w: %w", source.ErrPassing, err),
	}
}
