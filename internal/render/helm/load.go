package helm

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/ignore"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/walk"
)

const (
	// maxFiles bounds the files of one chart; the bounds of bytes are Helm's own.
	maxFiles = 20_000
	// maxIgnore and maxRules bound a chart's .helmignore, in bytes and in rules.
	maxIgnore = 64 << 10
	maxRules  = 1000
)

// load returns the source's chart with the dependencies that the values ask for.
func (r *Renderer) load(ctx context.Context, s *source.Source, values map[string]any) (loaded, error) {
	at := source.File{Tree: s.Tree, Name: s.Path}
	ch, err := r.folder(ctx, s, at)
	if err != nil {
		return loaded{}, err
	}
	return ch, dependencies{renderer: r, source: s}.complete(ctx, &ch, at, values, 0)
}

// folder loads the chart in a folder, once for each content. The record has
// one note for the whole folder.
func (r *Renderer) folder(ctx context.Context, s *source.Source, at source.File) (loaded, error) {
	digest, err := at.Tree.Digest(at.Name)
	if err != nil {
		return loaded{}, source.Missing(at, "chart folder", "correct the path of the chart", err)
	}
	ch, ok := shared(s, digest)
	if !ok {
		if ch, err = r.chart(ctx, at, digest); err != nil {
			return loaded{}, err
		}
		share(s, digest, ch)
	}
	return ch.from(at), r.counts(s, ch, at)
}

// shared is a chart that the render has loaded already, also one that is too
// large to be kept beyond it.
func shared(s *source.Source, digest string) (loaded, bool) {
	if s.Loaded == nil {
		return loaded{}, false
	}
	known, _ := s.Loaded.Load(digest)
	ch, ok := known.(loaded)
	return ch, ok
}

func share(s *source.Source, digest string, ch loaded) {
	if s.Loaded != nil {
		s.Loaded.Store(digest, ch)
	}
}

// chart loads the chart in a folder, or takes what is kept of it: the render
// holds it either way.
func (r *Renderer) chart(ctx context.Context, at source.File, digest string) (loaded, error) {
	if ch, ok := r.loaded.Get(digest); ok {
		return ch, at.Tree.Hold(at.Name, "the chart in "+at.Name, int(ch.bytes))
	}
	c := collector{ctx: ctx, tree: at.Tree, walk: walk.Over(ctx, at.Tree.Unrecorded()), root: at.Name}
	if err := c.collect(); err != nil {
		return loaded{}, err
	}
	weighed, err := weigh(ctx, at, c.files)
	if err != nil {
		return loaded{}, err
	}
	parsed, err := parse(at, c.files)
	if err != nil {
		return loaded{}, err
	}
	ch := learn(parsed, c.files)
	ch.values, ch.bytes = weighed.values, c.bytes+weighed.unpacked
	r.loaded.Put(digest, ch, 2*ch.bytes+bounded.PerValue*int64(ch.values)+unwritten(ch.Chart))
	return ch, nil
}

// perFile is about what a file of a chart takes besides its content and its name, in bytes.
const perFile = 512

// unwritten is what a chart takes besides what is in its files: each of them, with its name
// in several lists.
func unwritten(ch *chart.Chart) int64 {
	size := int64(perFile)
	for _, f := range ch.Raw {
		size += perFile + 4*int64(len(f.Name))
	}
	for _, d := range ch.Dependencies() {
		size += unwritten(d)
	}
	return size
}

// counts takes up what a chart's files became.
func (*Renderer) counts(s *source.Source, ch loaded, at source.File) error {
	if err := s.Values.Take(ch.values); err != nil {
		return gitops.Problemf(gitops.Invalid, "cannot load the chart in %s: %w", at.Name, err).At(at.Where(0))
	}
	return nil
}

func parse(at source.File, files []*archive.BufferedFile) (*chart.Chart, error) {
	ch, err := loader.LoadFiles(files)
	if err == nil {
		return ch, nil
	}
	for _, f := range files {
		if f.Name != "Chart.yaml" && f.Name != "values.yaml" && f.Name != "Chart.lock" {
			continue
		}
		file := source.File{Tree: at.Tree, Name: path.Join(at.Name, f.Name)}
		if broken := readable(file, file.Name, f.Data); broken != nil {
			return nil, broken // the loader names no line
		}
	}
	return nil, gitops.Problemf(gitops.Invalid, "cannot load the chart in %s: %w", at.Name, err).At(at.Where(0)).Do("correct the chart")
}

// collector reads the files of a chart's folder that .helmignore leaves.
type collector struct {
	ctx   context.Context //nolint:containedctx // lives for one chart
	tree  *record.Tree
	walk  *walk.Walk
	root  string
	rules *ignore.Rules
	files []*archive.BufferedFile
	bytes int64
}

func (c *collector) collect() error {
	c.rules = ignore.Empty()
	name := path.Join(c.root, ignore.HelmIgnore)
	text, err := c.walk.ReadFile(name)
	if err == nil {
		c.rules, err = ignored(text)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c.problem(name, err)
	}
	c.rules.AddDefaults()
	return c.folder("")
}

// ignored reads a .helmignore: each rule takes far more than its text, and is
// held against each file.
func ignored(text []byte) (*ignore.Rules, error) {
	if len(text) > maxIgnore {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read %s: it has more than %d KiB", ignore.HelmIgnore, maxIgnore>>10).Do("shorten it")
	}
	rules := 0
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			rules++
		}
	}
	if rules > maxRules {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read %s: it has %d rules, more than %d", ignore.HelmIgnore, rules, maxRules).
			Do("write one rule for many files, as *.txt and docs/ are")
	}
	return ignore.Parse(bytes.NewReader(text))
}

func (c *collector) folder(rel string) error {
	dir := path.Join(c.root, rel)
	entries, err := c.walk.ReadDir(dir)
	if err != nil {
		return c.problem(dir, err)
	}
	for _, e := range entries {
		if err := c.entry(path.Join(rel, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) entry(rel string) error {
	if err := c.ctx.Err(); err != nil {
		return err // one folder may hold many, and each is held against many patterns
	}
	name := path.Join(c.root, rel)
	info, err := c.walk.Stat(name)
	if err != nil {
		return c.problem(name, err)
	}
	if c.rules.Ignore(rel, info) {
		return nil
	}
	if info.IsDir() {
		return c.folder(rel)
	}
	return c.file(rel, name, info)
}

func (c *collector) file(rel, name string, info fs.FileInfo) error {
	c.bytes += info.Size()
	switch {
	case info.Size() > archive.MaxDecompressedFileSize:
		return c.problem(name, errors.New("the file is larger than the 5 MiB that a chart's file may have; list it in .helmignore"))
	case c.bytes > archive.MaxDecompressedChartSize || len(c.files) >= maxFiles:
		return c.problem(name, errors.New("the chart is too large; list what is no part of it in .helmignore"))
	}
	if err := c.tree.Hold(name, name, int(info.Size())); err != nil {
		return err
	}
	data, err := c.walk.ReadFile(name)
	if err != nil {
		return c.problem(name, err)
	}
	data = bytes.TrimPrefix(data, []byte{0xEF, 0xBB, 0xBF})
	c.files = append(c.files, &archive.BufferedFile{Name: rel, ModTime: info.ModTime(), Data: data})
	return nil
}

func (c *collector) problem(name string, err error) error {
	return source.Missing(source.File{Tree: c.tree, Name: name}, "chart file", "", err)
}
