package helm

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"path"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

const (
	// maxArchives are charts packed inside one another.
	maxArchives = 10
	// maxUnpacked bounds what one archive holds: as much as Helm takes of a chart.
	maxUnpacked = 100 << 20
)

// parsed are the files of charts that are read as YAML or JSON, wherever they are.
var parsed = map[string]bool{
	"Chart.yaml": true, "Chart.lock": true, "values.yaml": true, "values.schema.json": true, "requirements.yaml": true, "requirements.lock": true,
}

// weigh counts what the files of a chart become, and refuses them before they
// are parsed where that is too much. Charts in archives are the chart's, too.
func weigh(ctx context.Context, at source.File, files []*archive.BufferedFile) (*weighing, error) {
	w := &weighing{ctx: ctx, at: at}
	return w, w.all("", files, 0)
}

type weighing struct {
	ctx    context.Context //nolint:containedctx // lives for one chart
	at     source.File
	values int
	// unpacked are the bytes of what all archives hold.
	unpacked int64
}

func (w *weighing) all(below string, files []*archive.BufferedFile, depth int) error {
	for _, f := range files {
		name := path.Join(below, f.Name)
		switch {
		case parsed[path.Base(name)]:
			if err := w.file(name, f.Data); err != nil {
				return err
			}
		case packed(f.Name):
			if err := w.archive(name, f.Data, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// packed tells an archive that Helm takes for a chart of the chart around it.
func packed(name string) bool {
	return path.Ext(name) == ".tgz" && strings.Contains("/"+name, "/charts/")
}

func (w *weighing) file(name string, text []byte) error {
	n, err := bounded.Check(text)
	if w.values += n; err == nil && w.values > document.MostValues {
		err = &bounded.TooMuch{Most: document.MostValues, What: "values", Together: true}
	}
	if err == nil {
		return nil
	}
	file := source.File{Tree: w.at.Tree, Name: path.Join(w.at.Name, name)}
	return gitops.Problemf(gitops.Invalid, "cannot read chart file %s: %w", file.Name, err).At(file.Where(0)).Do("make the file smaller, or split the chart")
}

func (w *weighing) archive(name string, data []byte, depth int) error {
	if depth >= maxArchives {
		return gitops.Problemf(gitops.Invalid, "cannot load chart %s: more than %d archives are inside one another", name, maxArchives).
			At(w.at.Where(0)).Do("unpack the inner ones")
	}
	if err := w.unpack(name, data); err != nil {
		return err
	}
	files, err := archive.LoadArchiveFiles(bytes.NewReader(data))
	if err != nil {
		return nil //nolint:nilerr // the loader tells, with the name of the chart
	}
	return w.all(name, files, depth+1)
}

// unpack counts what an archive holds, and keeps nothing of it: its files are
// held all at once where it is opened.
func (w *weighing) unpack(name string, data []byte) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	in, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil //nolint:nilerr // the loader tells, with the name of the chart
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(in, maxUnpacked+1)) // and of one that is broken, too
	if n > maxUnpacked {
		return gitops.Problemf(gitops.Invalid, "cannot load chart %s: it has more than %d MiB unpacked", path.Join(w.at.Name, name), maxUnpacked>>20).
			At(w.at.Where(0)).Do("take large files out of it")
	}
	w.unpacked += n
	return w.at.Tree.Hold(w.at.Name, "chart "+path.Join(w.at.Name, name)+" unpacked", int(n))
}
