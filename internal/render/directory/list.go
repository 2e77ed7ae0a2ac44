package directory

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/glob"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// maxDepth bounds folders inside folders; links could make them endless.
const maxDepth = 64

// list returns the paths of the manifest files in lexical order.
func list(s *source.Source) ([]string, error) {
	filter, recurse, err := settings(s)
	if err != nil {
		return nil, err
	}
	w := walk{source: s, filter: filter, recurse: recurse, all: s.Spec.Directory != nil && s.Spec.Directory.DisableExtensionFilter}
	if err := w.folder(s.Path, 0); err != nil {
		return nil, err
	}
	return w.files, nil
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

type walk struct {
	source  *source.Source
	filter  filter
	recurse bool
	// all takes files whatever their extension.
	all   bool
	files []string
}

func (w *walk) folder(dir string, depth int) error {
	if depth > maxDepth {
		return gitops.Problemf(gitops.Invalid, "cannot list folder %s: more than %d folders inside one another", dir, maxDepth).
			At(w.source.Tree.Where(dir, 0))
	}
	entries, err := w.source.Tree.ReadDir(dir)
	if err != nil {
		return source.Missing(source.File{Tree: w.source.Tree, Name: dir}, "folder", "", err)
	}
	for _, e := range entries {
		if err := w.entry(path.Join(dir, e.Name()), e, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(name string, e fs.DirEntry, depth int) error {
	if e.IsDir() {
		if !w.recurse {
			return nil
		}
		return w.folder(name, depth+1)
	}
	if !w.all && !manifestName.MatchString(name) {
		return nil
	}
	if !w.filter.takes(w.relative(name)) {
		return nil
	}
	if e.Type()&fs.ModeSymlink != 0 && w.passesOver(name) {
		return nil
	}
	w.files = append(w.files, name)
	return nil
}

// passesOver tells whether a link is left out: one to a folder, and one to
// nothing. One that leads out of the repository is kept, so that reading it
// tells why.
func (w *walk) passesOver(name string) bool {
	info, err := w.source.Tree.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		w.source.Warn("SkippedFile", "the symbolic link leads to nothing and is left out", w.source.Tree.Where(name, 0))
		return true
	}
	return err == nil && info.IsDir()
}

func (w *walk) relative(name string) string {
	if w.source.Path == "." {
		return name
	}
	return strings.TrimPrefix(name, w.source.Path+"/")
}
