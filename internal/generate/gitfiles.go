package generate

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// fileParams gives a set for each object in each file that an item includes
// and none excludes.
func (r *run) fileParams(repo *repo, g *v1alpha1.GitGenerator) ([]paramSet, error) {
	names, err := r.chosenFiles(repo, g.Files)
	if err != nil {
		return nil, err
	}
	var out []paramSet
	for _, name := range names {
		objects, err := r.parse(repo, name)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			p, err := r.contentParams(object)
			if err != nil {
				return nil, repo.at(name, err)
			}
			r.setPath(p, g.PathParamPrefix, fileParams(name))
			if err := r.addValues(p, g.Values); err != nil {
				return nil, errorf("cannot render values for file %s: %w", name, err)
			}
			if out, err = r.keep(out, p, frame(p)+len(name)); err != nil {
				return nil, repo.at(name, err)
			}
		}
		if err := r.ctx.Err(); err != nil {
			return nil, errorf("cannot read the files of the git generator in time: %w", err)
		}
	}
	return out, nil
}

func (r *run) chosenFiles(repo *repo, items []v1alpha1.GitFileGeneratorItem) ([]string, error) {
	chosen := map[string]bool{}
	for _, exclude := range []bool{false, true} {
		for _, item := range items {
			if item.Exclude != exclude {
				continue
			}
			names, err := r.matching(repo, item.Path)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				chosen[name] = !exclude
			}
		}
	}
	var out []string
	for name, in := range chosen {
		if in {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (r *run) matching(repo *repo, pattern string) ([]string, error) {
	match, root, err := pathspec(pattern)
	if r.doublestar {
		match, root, err = doublestarPath(pattern)
	}
	if err != nil {
		return nil, err
	}
	entries, err := r.entriesBelow(repo, root)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if err := r.ctx.Err(); err != nil {
			return nil, errorf("cannot match the files of the git generator in time: %w", err)
		}
		if e.folder && !r.doublestar || !match(e.name) {
			continue
		}
		if e.folder {
			return nil, repo.problem(gitops.Invalid, e.name, errorf("cannot use file pattern %q: it matches a folder", pattern)).
				Do("make it match files only, as with /*.yaml at its end")
		}
		out = append(out, e.name)
	}
	return out, nil
}

// treeEntry is a file or folder of a repository.
type treeEntry struct {
	name   string
	folder bool
}

// perName is what a name in a list takes, beside its bytes: the lists grow by a
// quarter.
const perName = 40

// entriesBelow lists what is below a folder, or the one file of that name.
func (r *run) entriesBelow(s *repo, root string) ([]treeEntry, error) {
	if had, ok := s.entries[root]; ok {
		return had, nil
	}
	var out []treeEntry
	var full error
	w := walk.Over(r.ctx, s.Tree)
	err := fs.WalkDir(w, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name != "." {
			out = append(out, treeEntry{name, d.IsDir()})
			full = r.held.take(perName + len(name))
		}
		return full
	})
	if full != nil {
		return nil, s.at(root, full)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, s.unlisted(root, "files", w, err)
	}
	if err := r.look(s, root, w.Seen()); err != nil {
		return nil, err
	}
	s.entries[root] = out
	return out, nil
}

// parse reads the objects of a YAML or JSON file: one map, or a list of maps.
// Only the first document counts; an empty file is an empty map.
func (r *run) parse(s *repo, name string) ([]map[string]any, error) {
	if had, ok := s.parsed[name]; ok {
		return had, nil
	}
	text, err := s.read(name, r.limits.Text)
	if err != nil {
		return nil, err
	}
	if r.read += len(text); r.read > r.limits.Read {
		return nil, s.problem(gitops.Invalid, name, errorf("cannot read more than %d MiB of files, all generators of the set together", r.limits.Read>>20)).
			Do("make the pattern of the git generator narrower, or split the ApplicationSet")
	}
	if err := r.values.Check(text); err != nil {
		return nil, s.problem(gitops.Invalid, name, errorf("cannot parse file: %w", err)).
			Do("make the pattern of the git generator narrower, or the file smaller")
	}
	var objects []map[string]any
	err = r.held.parse(text, func() (err error) {
		objects, err = objectsOf(s, name, text)
		return err
	})
	if err != nil {
		return nil, s.at(name, err)
	}
	s.parsed[name] = objects
	return objects, s.at(name, r.held.take(weigh(objects)))
}

func objectsOf(s *repo, name string, text []byte) ([]map[string]any, error) {
	one := map[string]any{}
	if err := yaml.Unmarshal(text, &one); err == nil {
		return []map[string]any{one}, nil
	}
	var many []map[string]any
	if err := yaml.Unmarshal(text, &many); err != nil {
		return nil, s.problem(gitops.Invalid, name, errorf("cannot parse file: %w", err)).
			Do("make it a YAML or JSON map, or a list of maps")
	}
	return many, nil
}

func (s *repo) read(name string, limit int) ([]byte, error) {
	info, err := fs.Stat(s.Tree, name)
	if err != nil {
		return nil, s.problem(gitops.NotFound, name, errorf("cannot read file: %w", err))
	}
	if info.Size() > int64(limit) {
		return nil, s.problem(gitops.Invalid, name, errorf("cannot read file of %d bytes, at most %d are read", info.Size(), limit)).
			Do("make the pattern of the git generator narrower")
	}
	text, err := fs.ReadFile(s.Tree, name)
	if err != nil {
		return nil, s.problem(gitops.NotFound, name, errorf("cannot read file: %w", err))
	}
	return text, nil
}

// contentParams are the parameters in a file: nested with Go templates, else
// flattened to texts.
func (r *run) contentParams(object map[string]any) (Params, error) {
	if r.set.Spec.GoTemplate {
		copied, _ := copyJSON(object).(map[string]any)
		return Params(copied), nil
	}
	out := Params{}
	return out, r.addLeaves(out, object)
}

// fileParams are the path parameters of a file: those of its folder, and its name.
func fileParams(name string) map[string]any {
	out := directoryParams(path.Dir(name))
	out["filename"] = path.Base(name)
	out["filenameNormalized"] = normalize(path.Base(name))
	return out
}
