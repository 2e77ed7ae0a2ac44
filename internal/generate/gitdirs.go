package generate

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// directoryParams gives a set for each folder that an item includes and none
// excludes. Patterns are those of path.Match: * stays within a folder, ** is
// the same as *. A broken pattern matches nothing.
func (r *run) directoryParams(repo *repo, g *v1alpha1.GitGenerator) ([]paramSet, error) {
	var folders []string
	for _, item := range g.Directories {
		if err := tooLong(item.Path); err != nil {
			return nil, err
		}
	}
	for _, item := range g.Directories {
		if item.Exclude {
			continue
		}
		candidates, err := r.foldersFor(repo, item.Path)
		if err != nil {
			return nil, err
		}
		for _, folder := range candidates {
			if err := r.ctx.Err(); err != nil {
				return nil, errorf("cannot match the folders of the git generator in time: %w", err)
			}
			if matchFolder(item.Path, folder) && !excluded(g.Directories, folder) {
				folders = append(folders, folder)
			}
		}
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	var out []paramSet
	for _, folder := range folders {
		p := Params{}
		r.setPath(p, g.PathParamPrefix, directoryParams(folder))
		if err := r.addValues(p, g.Values); err != nil {
			return nil, errorf("cannot render values for folder %s: %w", folder, err)
		}
		var err error
		if out, err = r.keep(out, p, frame(p)+len(path.Base(folder))); err != nil {
			return nil, repo.at(folder, err)
		}
	}
	return out, nil
}

func matchFolder(pattern, folder string) bool {
	ok, err := path.Match(pattern, folder)
	return err == nil && ok
}

func excluded(items []v1alpha1.GitDirectoryGeneratorItem, folder string) bool {
	return slices.ContainsFunc(items, func(item v1alpha1.GitDirectoryGeneratorItem) bool {
		return item.Exclude && matchFolder(item.Path, folder)
	})
}

// foldersFor lists the folders that a pattern can match, hidden ones never:
// those below its leading segments without wildcards, no deeper than it goes.
func (r *run) foldersFor(s *repo, pattern string) ([]string, error) {
	root := literalRoot(pattern)
	if !fs.ValidPath(root) || hasHidden(root) {
		return nil, nil
	}
	depth := strings.Count(pattern, "/") + 1
	if strings.Contains(pattern, "[") {
		depth = 0 // a negated class matches a slash, too
	}
	key := fmt.Sprintf("%s %d", root, depth)
	if had, ok := s.folders[key]; ok {
		return had, nil
	}
	list, err := r.listFolders(s, root, depth)
	if err != nil {
		return nil, err
	}
	s.folders[key] = list
	return list, nil
}

func (r *run) listFolders(s *repo, root string, depth int) ([]string, error) {
	var out []string
	var full error
	w := walk.Over(r.ctx, s.Tree)
	err := fs.WalkDir(w, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return nil
		}
		if name == "." {
			return nil
		}
		if strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		out = append(out, name)
		if full = r.held.take(perName + len(name)); full != nil {
			return full
		}
		if depth > 0 && strings.Count(name, "/")+1 >= depth {
			return fs.SkipDir
		}
		return nil
	})
	if full != nil {
		return nil, s.at(root, full)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.unlisted(root, "folders", w, err)
	}
	return out, r.look(s, root, w.Seen())
}

// literalRoot is the folder that everything a pattern matches is in: its
// leading segments without wildcards, without the last segment when that is
// all there is.
func literalRoot(pattern string) string {
	var root []string
	segments := strings.Split(pattern, "/")
	for _, segment := range segments[:len(segments)-1] {
		if strings.ContainsAny(segment, `*?[\`) {
			break
		}
		root = append(root, segment)
	}
	if len(root) == 0 {
		return "."
	}
	return strings.Join(root, "/")
}

func hasHidden(name string) bool {
	if name == "." {
		return false
	}
	return slices.ContainsFunc(strings.Split(name, "/"), func(s string) bool { return strings.HasPrefix(s, ".") })
}
