package helm

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// valueFile is a file in a tree, or one at a URL.
type valueFile struct {
	source.File
	url string
}

// display is the file's name in messages.
func (f valueFile) display() string {
	if f.url != "" {
		return redacted(f.url)
	}
	return f.Name
}

// place is the file, where it is in a tree.
func (f valueFile) place() source.File {
	if f.url != "" {
		return source.File{}
	}
	return f.File
}

// writtenFile is a value file with its name, or the pattern that found it, as
// the application has it.
type writtenFile struct {
	valueFile
	written string
}

// valueFiles resolves names, globs and references, in the order in which
// they are merged. A file that is named twice counts at its first place; a
// glob leaves out files that are also named by themselves.
func (r *Renderer) valueFiles(ctx context.Context, s *source.Source, spec *v1alpha1.ApplicationSourceHelm) ([]writtenFile, error) {
	resolved := make([][]valueFile, len(spec.ValueFiles))
	named := map[valueFile]bool{}
	for i, name := range spec.ValueFiles {
		if isGlob(name) && !isURL(name) {
			continue
		}
		f, err := r.named(s, name)
		if err != nil {
			return nil, err
		}
		resolved[i] = []valueFile{f}
		named[f] = true
	}
	for i, name := range spec.ValueFiles {
		if resolved[i] != nil {
			continue
		}
		found, err := matching(ctx, s, name, spec.IgnoreMissingValueFiles)
		if err != nil {
			return nil, err
		}
		resolved[i] = slices.DeleteFunc(found, func(f valueFile) bool { return named[f] })
	}
	var files []writtenFile
	seen := map[valueFile]bool{}
	for i, list := range resolved {
		for _, f := range list {
			if !seen[f] {
				files = append(files, writtenFile{f, spec.ValueFiles[i]})
			}
			seen[f] = true
		}
	}
	return files, nil
}

func isGlob(name string) bool { return strings.ContainsAny(name, "*?[") }

func isURL(name string) bool {
	u, err := url.Parse(name)
	return err == nil && u.Scheme != "" && strings.Contains(name, "://")
}

func (r *Renderer) named(s *source.Source, name string) (valueFile, error) {
	if !isURL(name) {
		at, err := s.Locate(name)
		return valueFile{File: at}, err
	}
	name, err := s.Expand(name)
	if err != nil {
		return valueFile{}, err
	}
	u, err := url.Parse(name)
	if err != nil {
		return valueFile{}, problem(s, "cannot read value file %s: its address is broken", redacted(name)).Do("correct the address")
	}
	if _, err := s.Settings.Rule(s.Project).Check(u); err != nil {
		return valueFile{}, problem(s, "cannot read value file %s: %w", redacted(name), err).
			Do("use another address, or a file in a repository")
	}
	return valueFile{File: source.File{Tree: s.Tree, Name: s.Path}, url: name}, nil
}

// redacted is a URL fit for messages; the name of a file is.
func redacted(address string) string {
	if !strings.Contains(address, "://") {
		return address
	}
	return gitops.PublicAddress(address)
}

// shortened is a name or an address fit for messages, whoever wrote it.
func shortened(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

// matching lists the files that a glob matches, in lexical order.
func matching(ctx context.Context, s *source.Source, name string, missingOK bool) ([]valueFile, error) {
	at, err := s.Locate(name)
	if err != nil {
		return nil, err
	}
	if err := bounded.Pattern(at.Name); err != nil {
		return nil, problem(s, "cannot find value files: %w", err).Do("correct the pattern")
	}
	names, err := doublestar.Glob(walk.Over(ctx, at.Tree), at.Name, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, problem(s, "cannot find value files by %s: %w", name, err).Do("correct the pattern")
	}
	if len(names) == 0 && !missingOK {
		p := problem(s, "cannot find value files: no file matches %s", name)
		p.Kind = gitops.NotFound
		return nil, p.Do("correct the pattern, or set helm.ignoreMissingValueFiles")
	}
	if len(names) == 0 {
		s.Warn(gitops.MissingValueFile, "no value file matches "+name, at.Where(0))
	}
	slices.Sort(names)
	files := make([]valueFile, 0, len(names))
	for _, n := range names {
		files = append(files, valueFile{File: source.File{Tree: at.Tree, Name: n}})
	}
	return files, nil
}

// AddressLife is how long a rendering may be kept that read an address, whose
// content nothing tells the changes of.
const AddressLife = 3 * time.Minute

func (r *Renderer) read(ctx context.Context, s *source.Source, f valueFile) ([]byte, error) {
	if f.url == "" {
		return f.Tree.ReadFile(f.Name)
	}
	if r.files == nil {
		return nil, problem(s, "cannot read value file %s: this engine reads no value files by URL", redacted(f.url)).
			Do("put the file into a repository")
	}
	s.Perishes(AddressLife)
	text, err := r.files.File(ctx, f.url, s.Settings.Rule(s.Project))
	if err != nil {
		return nil, err
	}
	return text, s.Hold(redacted(f.url), len(text))
}

func (f valueFile) unread(err error) error {
	if f.url != "" {
		var p *gitops.Problem
		if errors.As(err, &p) {
			return err
		}
		return gitops.Problemf(gitops.Unreachable, "cannot read value file %s: %w", redacted(f.url), err)
	}
	return source.Missing(f.File, "value file", "correct helm.valueFiles, or set helm.ignoreMissingValueFiles", err)
}
