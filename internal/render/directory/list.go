package directory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/glob"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// list returns the paths of the manifest files in lexical order.
func list(ctx context.Context, s *source.Source) ([]string, error) {
	filter, recurse, err := settings(s)
	if err != nil {
		return nil, err
	}
	l := lister{source: s, tree: walk.Over(ctx, s.Tree), filter: filter, recurse: recurse, all: s.Spec.Directory != nil && s.Spec.Directory.DisableExtensionFilter}
	if err := l.folder(s.Path); err != nil {
		return nil, err
	}
	return l.files, nil
}

func settings(s *source.Source) (filter, bool, error) {
	if s.Spec.Directory == nil {
		return filter{}, false, nil
	}
	include, err := compile(s, "include", s.Spec.Directory.Include)
	if err != nil {
		return filter{}, false, err
	}
	exclude, err := compile(s, "exclude", s.Spec.Directory.Exclude)
	return filter{include, exclude}, s.Spec.Directory.Recurse, err
}

// compile reads a pattern in which * crosses slashes.
func compile(s *source.Source, field, pattern string) (*glob.Pattern, error) {
	if pattern == "" {
		return nil, nil
	}
	g, err := glob.Compile(pattern)
	if err != nil {
		return nil, badPattern(s, fmt.Errorf("%q of directory.%s: %w", pattern, field, err))
	}
	return g, nil
}

func badPattern(s *source.Source, why error) error {
	return gitops.Problemf(gitops.Invalid, "cannot read the pattern %w", why).At(s.Tree.Where(s.Path, 0)).Do("correct the pattern in the application")
}

type filter struct{ include, exclude *glob.Pattern }

func (f filter) takes(name string) bool {
	return (f.exclude == nil || !f.exclude.Match(name)) && (f.include == nil || f.include.Match(name))
}

// lister goes through a folder, and what lies below it.
type lister struct {
	source  *source.Source
	tree    *walk.Walk
	filter  filter
	recurse bool
	// all takes files whatever their extension.
	all   bool
	files []string
}

func (l *lister) folder(dir string) error {
	entries, err := l.tree.ReadDir(dir)
	if err != nil {
		return source.Missing(source.File{Tree: l.source.Tree, Name: dir}, "folder", "", err)
	}
	for _, e := range entries {
		if err := l.entry(path.Join(dir, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) entry(name string, e fs.DirEntry) error {
	if e.IsDir() {
		if !l.recurse {
			return nil
		}
		return l.folder(name)
	}
	if !l.all && !manifestName.MatchString(name) {
		return nil
	}
	if !l.filter.takes(l.relative(name)) {
		return nil
	}
	if e.Type()&fs.ModeSymlink != 0 && l.passesOver(name) {
		return nil
	}
	l.files = append(l.files, name)
	return nil
}

// passesOver reports whether a link is left out: one to a folder, and one to
// nothing. One that leads out of the repository is kept, so that reading it
// tells why.
func (l *lister) passesOver(name string) bool {
	info, err := l.source.Tree.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		l.source.Warn("SkippedFile", "the symbolic link leads to nothing and is left out", l.source.Tree.Where(name, 0))
		return true
	}
	return err == nil && info.IsDir()
}

func (l *lister) relative(name string) string {
	if l.source.Path == "." {
		return name
	}
	return strings.TrimPrefix(name, l.source.Path+"/")
}
