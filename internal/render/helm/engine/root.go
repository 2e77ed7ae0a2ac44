package engine

import (
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart"
	"helm.sh/helm/v4/pkg/chart/common"
	v2 "helm.sh/helm/v4/pkg/chart/v2"
)

// root is what the templates of one chart see as $. They share it: what one
// sets is there for the next.
type root struct {
	data map[string]any
	base string
}

// enter tells templates which of them is executed.
func (r root) enter(name string) {
	r.data["Template"] = common.Values{"Name": name, "BasePath": r.base}
}

// collect lists the templates of a chart and its dependencies in the order in
// which they are executed, each with its root.
func collect(ch *v2.Chart, top common.Values) ([]file, []root) {
	c := collector{files: map[string]*common.File{}, roots: map[string]root{}}
	c.chart(ch, top)
	names := make([]string, 0, len(c.files))
	for name := range c.files {
		names = append(names, name)
	}
	slices.SortFunc(names, later)
	files, roots := make([]file, len(names)), make([]root, len(names))
	for i, name := range names {
		files[i], roots[i] = file{name, c.files[name]}, c.roots[name]
	}
	return files, roots
}

// later orders deeper paths first, and among equals the last by name.
func later(a, b string) int {
	if d := strings.Count(b, "/") - strings.Count(a, "/"); d != 0 {
		return d
	}
	return strings.Compare(b, a)
}

type collector struct {
	files map[string]*common.File
	roots map[string]root
}

func (c *collector) chart(ch *v2.Chart, above common.Values) map[string]any {
	metadata := map[string]any{}
	if a, err := chart.NewAccessor(ch); err == nil {
		metadata = a.MetadataAsMap()
	}
	metadata["IsRoot"] = ch.IsRoot()
	subcharts := map[string]any{}
	data := map[string]any{
		"Chart":        metadata,
		"Files":        filesOf(ch.Files),
		"Release":      above["Release"],
		"Capabilities": above["Capabilities"],
		"Values":       valuesOf(ch, above),
		"Subcharts":    subcharts,
	}
	for _, d := range ch.Dependencies() {
		subcharts[d.Name()] = c.chart(d, data)
	}
	c.templates(ch, data)
	return data
}

// valuesOf are the values of a chart inside those of the one above.
func valuesOf(ch *v2.Chart, above common.Values) any {
	if ch.IsRoot() {
		return above["Values"]
	}
	if values, err := above.Table("Values." + ch.Name()); err == nil {
		return values
	}
	return common.Values{}
}

func (c *collector) templates(ch *v2.Chart, data map[string]any) {
	full := ch.ChartFullPath()
	library := strings.EqualFold(ch.Metadata.Type, "library")
	r := root{data, path.Join(full, "templates")}
	for _, t := range ch.Templates {
		if t == nil || library && !strings.HasPrefix(path.Base(t.Name), "_") {
			continue
		}
		name := path.Join(full, t.Name)
		c.files[name], c.roots[name] = t, r
	}
}
