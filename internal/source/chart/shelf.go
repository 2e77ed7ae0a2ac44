package chart

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Item is one version of a chart on a shelf: a folder, or an archive.
type Item struct {
	Version string
	Path    string
	Archive bool
}

// Shelf is a folder of charts: name/Chart.yaml, name/version/Chart.yaml and
// name-version.tgz, at its root; an index.yaml beside archives counts too.
type Shelf struct {
	tree gitops.Tree
}

// NewShelf makes a Shelf of a tree.
func NewShelf(tree gitops.Tree) Shelf { return Shelf{tree} }

// Find chooses the version of a chart that a revision asks for.
func (s Shelf) Find(name, revision string) (Item, error) {
	items, err := s.items(name)
	if err != nil {
		return Item{}, err
	}
	if len(items) == 0 {
		names, err := s.names()
		if err != nil {
			return Item{}, err
		}
		return Item{}, unknownChart(name, names)
	}
	return choose(name, revision, items, func(i Item) string { return i.Version })
}

// items lists folders before archives: what is being edited comes first.
func (s Shelf) items(name string) ([]Item, error) {
	if !fs.ValidPath(name) {
		return nil, gitops.Problemf(gitops.Invalid, "chart %q is no name", name).Do("correct chart")
	}
	items, err := s.folders(name)
	if err != nil {
		return nil, err
	}
	// The shelf itself may be the one chart, or hold its versions.
	if own, err := s.meta("."); err == nil && own.Name == path.Base(name) {
		items = append(items, Item{Version: own.Version, Path: "."})
	}
	if len(items) == 0 {
		if items, err = s.own(path.Base(name)); err != nil {
			return nil, err
		}
	}
	listed, err := s.indexed(name)
	if err != nil {
		return nil, err
	}
	items = append(items, listed...)
	for _, dir := range []string{".", path.Dir(name), name} {
		items = append(items, s.archives(dir, path.Base(name))...)
	}
	return items, nil
}

func (s Shelf) folders(name string) ([]Item, error) {
	var items []Item
	own, err := s.meta(name)
	if err == nil {
		return []Item{{Version: own.Version, Path: name}}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	list, err := s.tree.ReadDir(name)
	if err != nil {
		return nil, nil //nolint:nilerr // no folder of this name
	}
	for _, e := range list {
		dir := path.Join(name, e.Name())
		m, err := s.meta(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		items = append(items, Item{Version: m.Version, Path: dir})
	}
	return items, nil
}

// own finds a chart whose versions are the shelf's folders, whatever these are called.
func (s Shelf) own(name string) ([]Item, error) {
	list, err := s.tree.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var items []Item
	for _, e := range list {
		if m, err := s.meta(e.Name()); err == nil && m.Name == name {
			items = append(items, Item{Version: m.Version, Path: e.Name()})
		}
	}
	return items, nil
}

// meta reads the Chart.yaml of a folder.
func (s Shelf) meta(dir string) (Meta, error) {
	name := path.Join(dir, "Chart.yaml")
	data, err := s.tree.ReadFile(name)
	if err != nil {
		return Meta{}, err
	}
	m, err := ParseMeta(data)
	if err != nil {
		return Meta{}, gitops.Problemf(gitops.Invalid, "%w", err).At(gitops.Origin{File: name})
	}
	return m, nil
}

func (s Shelf) indexed(name string) ([]Item, error) {
	data, err := s.tree.ReadFile("index.yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	index, err := ParseIndex(data)
	if err != nil {
		return nil, err
	}
	releases, err := index.Releases(name)
	if err != nil {
		return nil, err
	}
	var items []Item
	for _, r := range releases {
		for _, u := range r.URLs {
			// Addresses elsewhere stand for a file of the same name here.
			for _, file := range []string{u, path.Base(u)} {
				if info, err := s.tree.Stat(file); err == nil && !info.IsDir() {
					items = append(items, Item{Version: r.Version, Path: file, Archive: true})
					break
				}
			}
		}
	}
	return items, nil
}

// archives lists files that are called name-version.tgz.
func (s Shelf) archives(dir, name string) []Item {
	list, err := s.tree.ReadDir(dir)
	if err != nil {
		return nil
	}
	var items []Item
	for _, e := range list {
		rest, ok := strings.CutPrefix(e.Name(), name+"-")
		v, ok2 := strings.CutSuffix(rest, ".tgz")
		if !ok || !ok2 || e.IsDir() {
			continue
		}
		if _, err := semver.NewVersion(v); err == nil {
			items = append(items, Item{Version: v, Path: path.Join(dir, e.Name()), Archive: true})
		}
	}
	return items
}

// names lists what the shelf holds, for messages.
func (s Shelf) names() ([]string, error) {
	list, err := s.tree.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range list {
		name := e.Name()
		if !e.IsDir() {
			name = packed(name)
		}
		if name != "" && !strings.HasPrefix(name, ".") && !slices.Contains(names[max(0, len(names)-1):], name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// packed is the chart of an archive that is called name-version.tgz; empty for
// other files.
func packed(file string) string {
	file, ok := strings.CutSuffix(file, ".tgz")
	for at := 1; ok && at < len(file); at++ {
		if file[at] != '-' {
			continue
		}
		if _, err := semver.NewVersion(file[at+1:]); err == nil {
			return file[:at]
		}
	}
	return ""
}

// Meta is what Chart.yaml says of a chart's identity.
type Meta struct {
	Name    string `yaml:"name"`
	Version string `yaml:"version"`
}

// ParseMeta reads a Chart.yaml. Missing versions are an error: without one
// a chart cannot be chosen.
func ParseMeta(data []byte) (Meta, error) {
	var m Meta
	if err := bounded.Decode(data, &m); err != nil {
		return m, fmt.Errorf("cannot read Chart.yaml: %w", err)
	}
	if m.Name == "" || m.Version == "" {
		return m, errors.New("cannot read Chart.yaml: name or version is missing")
	}
	return m, nil
}
