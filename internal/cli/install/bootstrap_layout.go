package install

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// layout is what a bootstrap finds of the layout in a work tree.
type layout struct {
	bootstrap.Scaffold

	files []bootstrap.File
	// missing counts the files that would be written.
	missing int
	// commits tells that there would be something to commit.
	commits bool
	// pushed is what would be pushed where; empty where that is not asked for.
	pushed bootstrap.Pushed
}

// layout looks at the work tree, and fails where something stands in the way
// of the layout. It writes nothing.
func (b *bootstrapFlags) layout(ctx context.Context) (layout, error) {
	out := layout{Scaffold: bootstrap.Scaffold{Dir: b.scaffold, Path: b.repository.path}}
	if b.scaffold == "" {
		return out, nil
	}
	var err error
	if out.files, err = out.Files(); err != nil {
		return out, err
	}
	for _, f := range out.files {
		if f.State == bootstrap.Missing {
			out.missing++
		}
	}
	if b.commit {
		out.commits, err = out.Commits(ctx)
	}
	if err == nil && b.push {
		out.pushed, err = out.Pushes(ctx, b.repository.url)
	}
	return out, err
}

// coming are the files that the repository has when the layout is written:
// if it is pushed, or the work tree stands for the repository.
func (b *bootstrapFlags) coming(l layout, mirrors []source.Mirror) install.Coming {
	if !b.push && !b.mirrored(mirrors) {
		return install.Coming{}
	}
	out := install.Coming{Branch: l.pushed.Branch}
	for _, f := range l.files {
		out.Files = append(out.Files, path.Clean(f.Path))
	}
	return out
}

// mirrored reports whether the repository is read from the work tree. Of a Git
// checkout that is what is committed, unless its mirror says otherwise.
func (b *bootstrapFlags) mirrored(mirrors []source.Mirror) bool {
	m, rest, ok := source.NewFiles(mirrors).Find(address.Name(b.repository.url))
	if !ok || b.scaffold == "" {
		return false
	}
	read, err := os.Stat(filepath.Join(m.Path, filepath.FromSlash(rest)))
	if err != nil {
		return false
	}
	written, err := os.Stat(b.scaffold)
	if err != nil || !os.SameFile(read, written) {
		return false
	}
	_, err = os.Lstat(filepath.Join(b.scaffold, ".git"))
	return m.WorkTree || b.commit || err != nil
}

// layOut writes the layout and publishes it as far as that is asked for.
func (b *bootstrapFlags) layOut(ctx context.Context, l layout) error {
	if b.scaffold == "" {
		return nil
	}
	all, err := l.Write()
	if err != nil {
		return err
	}
	b.tell(all, func(f bootstrap.File) { b.sayf("wrote %s", f.Path) })
	return b.publish(ctx, l.Scaffold, l.missing)
}

// foretellLayout prints what would be made of the work tree.
func (b *bootstrapFlags) foretellLayout(l layout) error {
	if b.scaffold == "" {
		return nil
	}
	b.tell(l.files, func(f bootstrap.File) {
		b.sayf("would write %s", f.Path)
		if b.output == asDiff {
			b.sayf("+%s", strings.ReplaceAll(strings.TrimSuffix(string(f.Text), "\n"), "\n", "\n+"))
		}
	})
	if l.commits {
		b.sayf("would commit the layout")
	}
	if b.push {
		b.sayf("would push the branch %s to %s", l.pushed.Branch, l.pushed.To)
	}
	if l.missing > 0 || l.commits {
		return command.ErrChanges
	}
	return nil
}

// tell goes through the files of the layout: missing tells of one that is not
// in the work tree yet.
func (b *bootstrapFlags) tell(all []bootstrap.File, missing func(bootstrap.File)) {
	there := 0
	for _, f := range all {
		if f.State == bootstrap.Missing {
			missing(f)
			continue
		}
		there++
		if f.State == bootstrap.Other {
			b.sayf("%s is there already and stays", f.Path)
		}
	}
	if there == len(all) {
		b.sayf("the layout is there: %s", gitops.Count(len(all), "file"))
	}
}

// publish commits and pushes the layout as far as that is asked for, and says
// what is left to do.
func (b *bootstrapFlags) publish(ctx context.Context, s bootstrap.Scaffold, written int) error {
	if !b.commit {
		if written > 0 {
			b.sayf("commit and push the layout, so that the engine can read it: --commit --push does both")
		}
		return nil
	}
	done, err := s.Commit(ctx)
	switch {
	case err != nil:
		return err
	case done && !b.push:
		b.sayf("committed the layout; push it, so that the engine can read it: --push does")
	case done:
		b.sayf("committed the layout")
	}
	if !b.push {
		return nil
	}
	pushed, err := s.Push(ctx, b.repository.url)
	if err == nil {
		b.sayf("pushed the branch %s to %s", pushed.Branch, pushed.To)
	}
	return err
}
