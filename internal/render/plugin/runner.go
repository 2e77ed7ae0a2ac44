package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/process"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Options of a Runner; the zero value knows no plugin.
type Options struct {
	Plugins []Plugin
	// TempDir is where private folders are made; the system's when empty.
	TempDir string
	// Path is where commands are looked for, and the PATH that they see;
	// DefaultPath when empty.
	Path string
	// Limits of each command.
	Limits process.Limits
	// MaxFiles and MaxBytes bound what a plugin gets of a repository;
	// 20,000 and 256 MiB when 0.
	MaxFiles int
	MaxBytes int64
}

// DefaultPath has the folders of a Linux system's programs.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Runner runs the commands of plugins, each in a private copy of what it is given. It is
// safe for concurrent use.
type Runner struct{ o Options }

var _ source.Programs = (*Runner)(nil)

// NewRunner makes a Runner.
func NewRunner(o Options) *Runner {
	if o.Path == "" {
		o.Path = DefaultPath
	}
	if o.MaxFiles == 0 {
		o.MaxFiles = 20_000
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 256 << 20
	}
	return &Runner{o}
}

// Run implements source.Programs. That a command for finding ends with an exit code
// means no. One that cannot be run, or is killed, is an error: to go on would render the
// source as something else, and prune what it was.
func (r *Runner) Run(ctx context.Context, j source.Job) (source.Printed, error) {
	t, err := r.task(j)
	if err != nil {
		return source.Printed{}, err
	}
	w, err := r.newWorkspace(ctx, t)
	if err != nil {
		return source.Printed{Warnings: t.warnings.List()}, err
	}
	defer w.remove()
	out, err := r.steps(ctx, t, w)
	return source.Printed{Output: out, Warnings: t.warnings.List()}, err
}

// task is a job with the plugin that it is for.
type task struct {
	source.Job

	plugin   Plugin
	warnings gitops.Warnings
}

// task checks a job, which a worker may have written.
func (r *Runner) task(j source.Job) (*task, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(r.o.Plugins, func(p Plugin) bool { return p.ID() == j.Plugin })
	if i < 0 {
		return nil, gitops.Problemf(gitops.NotFound, "cannot find plugin %s", gitops.First(j.Plugin, shownID)).Do("name one that is installed")
	}
	if j.Finding && !r.o.Plugins[i].Discover.Find.set() {
		return nil, gitops.Problemf(gitops.Invalid, "cannot ask plugin %s whether it takes a source: it has no command for that", j.Plugin).Do("add spec.discover.find.command to its file")
	}
	for _, variable := range j.Env {
		if !ofSource(name(variable)) {
			return nil, gitops.Problemf(gitops.Invalid, "cannot give plugin %s the variable %s", j.Plugin, gitops.First(name(variable), shownID)).Do("use plugin.env")
		}
	}
	return &task{Job: j, plugin: r.o.Plugins[i]}, nil
}

// shownID bounds what an error shows of a name that nothing has, in bytes.
const shownID = 256

// where is the place of a file in the job's repository.
func (t *task) where(file string) gitops.Origin {
	at := t.Origin
	at.File = file
	return at
}

func (r *Runner) steps(ctx context.Context, t *task, w *workspace) ([]byte, error) {
	if t.Finding {
		out, err := r.command(ctx, t, w, "discover", t.plugin.Discover.Find.Command)
		if e := (*process.Error)(nil); errors.As(err, &e) && e.Code >= 0 {
			return nil, nil
		}
		return bytes.TrimSpace(out), err
	}
	if t.plugin.Init.set() {
		if _, err := r.command(ctx, t, w, "init", t.plugin.Init); err != nil {
			return nil, err
		}
	}
	return r.command(ctx, t, w, "generate", t.plugin.Generate)
}

// command runs one of a plugin's commands in the source's folder.
func (r *Runner) command(ctx context.Context, t *task, w *workspace, step string, c Command) ([]byte, error) {
	env := append([]string{"PATH=" + r.o.Path, "HOME=" + w.home, "TMPDIR=" + w.home}, t.Env...)
	byName(env)
	out, err := process.Run(ctx, process.Command{
		Path: c.Command[0], Args: append(c.Command[1:len(c.Command):len(c.Command)], c.Args...),
		Dir: filepath.Join(w.repo, filepath.FromSlash(t.Path)), Env: env, Search: r.o.Path, Mark: "HOME=" + w.home, Limits: r.o.Limits,
	})
	var e *process.Error
	if !errors.As(err, &e) {
		return out, err
	}
	return nil, t.failed(step, c, e, scrub(strings.ReplaceAll(e.Stderr, w.repo, "."), env))
}

// failed is a command that did not end well. It is not kept: the next run
// may end otherwise.
func (t *task) failed(step string, c Command, e *process.Error, stderr string) error {
	out := &gitops.Problem{
		Kind: gitops.Invalid, What: fmt.Sprintf("cannot render with plugin %s: %s (%s): %s", t.Plugin, step, c.Command[0], e.Error()),
		Where: t.where(t.Path), Fix: "run the command by hand in the source's folder", Err: fmt.Errorf("%w: %w", source.ErrPassing, e),
	}
	if stderr != "" {
		out.What += "\n" + stderr + "\n"
	}
	switch {
	case errors.Is(e, process.ErrStart):
		out.Fix = "install the command beside the engine, in its search path for plugins"
	case errors.Is(e, process.ErrTime), errors.Is(e, process.ErrMemory), errors.Is(e, process.ErrProcesses), errors.Is(e, process.ErrOutput):
		out.Fix = "make the plugin need less, or split the application"
	}
	return out
}
