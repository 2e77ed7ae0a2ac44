package kustomize

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Inflater renders charts.
type Inflater interface {
	// Inflate returns the manifests of a chart as YAML documents.
	Inflate(ctx context.Context, s *source.Source, in helm.Inflation) ([]byte, error)
}

// addChart takes the configuration of a generator as a chart of the
// kustomization. Its folder of charts is its own.
func (r *rewriting) addChart(config map[string]any) error {
	var c struct {
		types.HelmGlobals
		types.HelmChart
	}
	text, err := json.Marshal(config)
	if err == nil {
		err = r.disk.hold(r.full, text) // its values are kept
	}
	if err == nil {
		err = r.disk.source.Values.Take(bounded.Values(text))
	}
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return r.at(0, "cannot read the configuration of chart %v: %w", config["name"], err)
	}
	r.charts = append(r.charts, chartEntry{chart: c.HelmChart, home: c.ChartHome})
	return nil
}

// chartEntry is a chart with the folder that charts are in.
type chartEntry struct {
	chart types.HelmChart
	home  string
}

// inflate renders the charts of a kustomization and lists what they give as
// a component, which the library takes after the resources and generators.
func (r *rewriting) inflate(k *types.Kustomization) error {
	charts := r.listed(k)
	if len(charts) == 0 {
		return nil
	}
	if !r.disk.flags.helm {
		return r.problem(charts[0].chart.Name, "cannot build %s: it has Helm charts, which are not allowed", r.name).
			Do("add --enable-helm to " + optionsKey)
	}
	if r.disk.charts == nil {
		return r.problem(charts[0].chart.Name, "cannot build %s: charts are not rendered here", r.name)
	}
	var text bytes.Buffer
	for _, c := range charts {
		objects, err := r.chart(c)
		if err != nil {
			return err
		}
		text.Write(objects)
	}
	return r.component(k, charts[0].chart.Name, text.Bytes())
}

// listed are the charts of a kustomization in their order; they are taken
// out of it.
func (r *rewriting) listed(k *types.Kustomization) []chartEntry {
	old, globals := types.SplitHelmParameters(k.HelmChartInflationGenerator)
	if k.HelmGlobals != nil {
		globals = *k.HelmGlobals
	}
	var out []chartEntry
	for _, c := range append(k.HelmCharts, old...) {
		if c.Namespace == "" {
			c.Namespace = r.frame.namespace
		}
		out = append(out, chartEntry{chart: c, home: globals.ChartHome})
	}
	k.HelmCharts, k.HelmChartInflationGenerator, k.HelmGlobals = nil, nil, nil
	return append(out, r.charts...)
}

// component puts objects onto the disk as a component, the first of the
// kustomization.
func (r *rewriting) component(k *types.Kustomization, chart string, objects []byte) error {
	dir := fmt.Sprintf("/chart-%d", len(r.disk.folders))
	at := r.disk.where(r.full, lineOf(r.written, "name: "+chart))
	made := origin{configuredIn: r.full, kind: "HelmChartInflationGenerator"}
	resources := "[]"
	if len(objects) > 0 {
		resources = "[objects.yaml]"
	}
	r.disk.folders[dir] = true
	r.disk.placed[dir+"/objects.yaml"] = &placed{text: objects, at: at, origin: made}
	r.disk.placed[dir+"/"+konfig.DefaultKustomizationFileName()] = &placed{
		text: []byte("apiVersion: " + types.ComponentVersion + "\nkind: " + types.ComponentKind + "\nresources: " + resources + "\n"), at: at, origin: made,
	}
	r.list(dir + "/objects.yaml")
	r.disk.resources[dir+"/"+konfig.DefaultKustomizationFileName()] = true // it says nothing of others
	rel, err := filepath.Rel(r.dir, dir)
	k.Components = append([]string{rel}, k.Components...)
	r.changed = true
	return err
}

// chart renders one chart. Its objects are marked as the library does, so
// that the namespace stays as the chart has it.
func (r *rewriting) chart(c chartEntry) ([]byte, error) {
	in, err := r.inflation(c)
	if err != nil {
		return nil, err
	}
	text, err := r.disk.charts.Inflate(r.disk.ctx, r.disk.source, in)
	if err != nil {
		if p, ok := asProblem(err); ok && p.Where == (gitops.Origin{}) {
			return nil, r.placedProblem("name: "+c.chart.Name, err)
		}
		return nil, err
	}
	docs, err := document.Within(r.disk.source.Values).Read(text)
	if err != nil {
		return nil, r.problem("name: "+c.chart.Name, "cannot read what chart %s gives: %w", c.chart.Name, err)
	}
	var out bytes.Buffer
	for _, d := range docs {
		annotations := d.Object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[konfig.HelmGeneratedAnnotation] = "true"
		d.Object.SetAnnotations(annotations)
		object, err := bounded.WriteYAML(d.Object.Object)
		if err = errors.Join(err, r.disk.ctx.Err()); err != nil {
			return nil, fmt.Errorf("cannot write an object of chart %s: %w", c.chart.Name, err)
		}
		if err := r.disk.inflated.Take(len(object)); err != nil {
			return nil, r.problem("name: "+c.chart.Name, "cannot build %s: what its charts give is too much: %w", r.name, err).Do("list fewer charts, or split the application")
		}
		out.WriteString("---\n")
		out.Write(object)
	}
	return out.Bytes(), nil
}

func (r *rewriting) inflation(c chartEntry) (helm.Inflation, error) {
	chart := c.chart
	in := helm.Inflation{
		Namespace: chart.Namespace, IncludeCRDs: chart.IncludeCRDs, SkipHooks: chart.SkipHooks, SkipTests: chart.SkipTests,
		Output: r.disk.source.Output.Again(),
	}
	var err error
	if in.ReleaseName, err = r.releaseName(chart); err != nil {
		return in, err
	}
	if err = r.find(c, &in); err != nil {
		return in, err
	}
	if in.Values, err = r.chartValues(chart, in); err != nil {
		return in, err
	}
	r.capabilities(chart, &in)
	return in, nil
}

// releaseName is the chart's own, what its template says, or the chart's
// name: a name with the time of the render in it would change each time.
func (r *rewriting) releaseName(c types.HelmChart) (string, error) {
	if c.ReleaseName != "" || c.NameTemplate == "" {
		if c.ReleaseName == "" {
			return c.Name, nil
		}
		return c.ReleaseName, nil
	}
	name, err := templatedName(r.disk.ctx, c.NameTemplate)
	if err != nil {
		return "", r.problem(c.NameTemplate, "cannot read nameTemplate of chart %s: %w", c.Name, err).Do("correct it, or set releaseName")
	}
	return name, nil
}

// find tells where the chart is: in the folder of charts, else in its
// repository.
func (r *rewriting) find(c chartEntry, in *helm.Inflation) error {
	chart, home := c.chart, c.home
	if chart.Name == "" {
		return r.problem("helmCharts", "cannot build %s: a chart has no name", r.name).Do("set name")
	}
	if home == "" {
		home = types.HelmDefaultHome
	}
	if chart.Version != "" && chart.Repo != "" {
		home = path.Join(home, chart.Name+"-"+chart.Version)
	}
	dir, ok := source.Inside(path.Dir(r.name), path.Join(home, chart.Name))
	if !ok || path.IsAbs(home) {
		return r.problem("chartHome", "cannot build %s: chart %s is outside the repository", r.name, chart.Name).Do("correct helmGlobals.chartHome")
	}
	info, err := r.mount.tree.Stat(dir)
	if err == nil && info.IsDir() {
		in.At = source.File{Tree: r.mount.tree, Name: dir}
		if chart.ValuesFile != "" {
			return nil // only the chart's own values are read from there
		}
		return r.reach("chartHome", path.Join(r.disk.root(r.mount), dir))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r.placedProblem("name: "+chart.Name, source.Missing(source.File{Tree: r.mount.tree, Name: dir}, "chart", "", err))
	}
	if chart.Repo == "" {
		p := r.problem("name: "+chart.Name, "cannot find chart %s in %s", chart.Name, dir)
		p.Kind = gitops.NotFound
		return p.Do("add the chart, or set its repo and version")
	}
	in.Chart = r.disk.source.Beside(strings.TrimSuffix(chart.Repo, "/"), chart.Name, chart.Version)
	return nil
}

// capabilities are the cluster's. What a chart's entry says of them counts
// where the cluster is unknown, since flags of the command line win over it.
func (r *rewriting) capabilities(c types.HelmChart, in *helm.Inflation) {
	s := r.disk.source
	if spec := s.Spec.Kustomize; spec != nil {
		in.KubeVersion, in.APIVersions = spec.KubeVersion, spec.APIVersions
	}
	if in.KubeVersion == "" && c.KubeVersion != "" && s.Facts.KubeVersion() == "" {
		in.KubeVersion = c.KubeVersion
	}
	extra := r.disk.flags.apiVersions
	if len(in.APIVersions) == 0 && len(extra)+len(c.ApiVersions) > 0 {
		in.APIVersions = s.Facts.APIVersions()
		if len(in.APIVersions) == 0 {
			in.APIVersions = c.ApiVersions
		}
	}
	if len(extra) > 0 {
		in.APIVersions = append(in.APIVersions[:len(in.APIVersions):len(in.APIVersions)], extra...)
	}
}

// chartValues are the value files in their order: the one that stands for
// the chart's own, with the values in place merged in, and the others.
func (r *rewriting) chartValues(c types.HelmChart, in helm.Inflation) ([][]byte, error) {
	if !slices.Contains([]string{"", "override", "merge", "replace"}, c.ValuesMerge) {
		return nil, r.problem(c.ValuesMerge, "cannot build %s: valuesMerge of chart %s is merge, override or replace", r.name, c.Name).Do("correct valuesMerge")
	}
	var base []byte
	var err error
	inline := len(c.ValuesInline) > 0
	switch {
	case c.ValuesFile != "":
		base, err = r.valuesFile(c.ValuesFile)
	case inline && c.ValuesMerge != "replace":
		base, err = r.ownValues(in)
	}
	if err == nil && inline {
		base, err = r.mergedValues(c, base)
	}
	if err != nil {
		return nil, err
	}
	var out [][]byte
	if len(base) > 0 {
		out = append(out, base)
	}
	for _, name := range c.AdditionalValuesFiles {
		text, err := r.valuesFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

func (r *rewriting) valuesFile(entry string) ([]byte, error) {
	rel, err := r.file(entry)
	if err != nil {
		return nil, err
	}
	full := path.Join(r.dir, rel)
	text, err := r.disk.read(full)
	if err != nil {
		return nil, err
	}
	if e := document.Check(text); e != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read value file %s: %s", entry, e.Text).At(r.disk.where(full, e.Line)).Do("correct the YAML")
	}
	return text, nil
}

// ownValues are the chart's own values; a chart may have none.
func (r *rewriting) ownValues(in helm.Inflation) ([]byte, error) {
	at := in.At
	if at.Tree == nil {
		s := r.disk.source
		if s.Remote == nil {
			return nil, nil // inflating tells what is wrong
		}
		tree, err := s.Remote.Tree(r.disk.ctx, in.Chart)
		if err != nil {
			return nil, r.placedProblem("name: "+in.Chart.Chart, err)
		}
		at = source.File{Tree: tree, Name: "."}
	}
	text, err := at.Tree.ReadFile(path.Join(at.Name, "values.yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, source.Missing(source.File{Tree: at.Tree, Name: path.Join(at.Name, "values.yaml")}, "values of the chart", "", err)
	}
	if _, err := bounded.Check(text); err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read the values of the chart: %w", err).At(at.Tree.Where(path.Join(at.Name, "values.yaml"), 0))
	}
	return text, nil
}

// mergedValues joins the values in place with those of a file.
func (r *rewriting) mergedValues(c types.HelmChart, base []byte) ([]byte, error) {
	inline, err := bounded.WriteYAML(c.ValuesInline)
	if err == nil {
		err = r.disk.hold(r.full, inline)
	}
	if err != nil || len(bytes.TrimSpace(base)) == 0 {
		return inline, err
	}
	strong, weak := inline, base
	switch c.ValuesMerge {
	case "merge":
		strong, weak = base, inline
	case "replace":
		return inline, nil
	}
	if err := r.disk.ctx.Err(); err != nil { // merging knows none
		return nil, err
	}
	merged, err := mergeYAML(strong, weak)
	if err != nil {
		return nil, r.problem("name: "+c.Name, "cannot merge the values of chart %s: %w", c.Name, err).Do("correct valuesInline or the value file, or list a large file in additionalValuesFiles")
	}
	return merged, r.disk.hold(r.full, merged)
}

// maxMerged bounds the squares of the keys of mappings that are merged: about a
// second, as one mapping of 7,000 keys in each of two texts has.
const maxMerged = 100_000_000

var errManyKeys = errors.New("their mappings have too many keys: 7,000 in one are merged, and fewer in several")

// parseValues reads values; nil where the text has none: a null would take out all that
// it is merged into, and comments alone are no document.
func parseValues(text []byte) (*kyaml.RNode, error) {
	values, err := kyaml.Parse(string(text))
	if errors.Is(err, io.EOF) || err == nil && values.IsTaggedNull() {
		return nil, nil
	}
	return values, err
}

func mergeYAML(strong, weak []byte) ([]byte, error) {
	from, err := parseValues(strong)
	if err != nil || from == nil {
		return weak, err
	}
	into, err := parseValues(weak)
	if err != nil || into == nil {
		return strong, err
	}
	var both shape // of what is merged, however its text is read elsewhere
	both.node(from.Document())
	both.node(into.Document())
	if both.squares > maxMerged {
		return nil, errManyKeys
	}
	merged, err := merge2.Merge(from, into, kyaml.MergeOptions{})
	if err != nil || merged == nil {
		return nil, err
	}
	text, err := merged.String()
	return []byte(text), err
}
