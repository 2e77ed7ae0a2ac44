package helm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

const (
	hookAnnotation = "helm.sh/hook"
	notesFile      = "NOTES.txt"
)

// output sorts what a chart gives.
type output struct {
	source    *source.Source
	chart     loaded
	skipTests bool

	crd, plain, hooks []gitops.Manifest
}

func (o *output) manifests() []gitops.Manifest { return slices.Concat(o.crd, o.plain, o.hooks) }

func (o *output) crds(files []chart.CRD) error {
	for _, f := range files {
		manifests, err := o.read(text{name: f.Filename, file: f.File, data: f.File.Data})
		if err != nil {
			return err
		}
		o.crd = append(o.crd, manifests...)
	}
	return nil
}

// templates reads the outputs by the names of their templates.
func (o *output) templates(outputs []engine.Output) error {
	slices.SortFunc(outputs, func(a, b engine.Output) int { return strings.Compare(a.Name, b.Name) })
	for i := range outputs {
		out := &outputs[i]
		if strings.HasSuffix(out.Name, notesFile) { // whatever stands before that, as with Helm
			continue
		}
		manifests, err := o.read(text{name: out.Name, file: out.File, data: []byte(out.Text), lines: out.Lines})
		if err != nil {
			return err
		}
		for _, m := range manifests {
			o.sort(m)
		}
	}
	return nil
}

// text is what a file gave. lines leads from lines of it to those of the
// file; nil where they are the same.
type text struct {
	name  string
	file  *common.File
	data  []byte
	lines func([]int) []int
}

// at is the place of a line of the text.
func (t text) at(o *output, lines ...int) []gitops.Origin {
	if t.lines != nil {
		lines = t.lines(lines)
	}
	out := make([]gitops.Origin, len(lines))
	for i, line := range lines {
		out[i] = whereOf(o.source, o.chart, t.file, line)
	}
	return out
}

func (o *output) read(t text) ([]gitops.Manifest, error) {
	docs, err := document.Within(o.source.Values).Holding(o.source.Output).ReadLoose(t.data)
	if err != nil {
		e := document.AsError(err)
		return nil, gitops.Problemf(gitops.Invalid, "cannot read the output of template %s: line %d of the output: %s", t.name, e.Line, e.Text).
			At(t.at(o, e.Line)[0]).Do("correct the template or its values")
	}
	starts := make([]int, len(docs))
	for i, d := range docs {
		starts[i] = d.Line
	}
	places := t.at(o, starts...)
	var manifests []gitops.Manifest
	for i, d := range docs {
		if d.Duplicate != nil {
			o.source.Warn("DuplicateKey", fmt.Sprintf("the last one counts, in line %d of the output of %s: %s", d.Duplicate.Line, t.name, d.Duplicate.Text), t.at(o, d.Duplicate.Line)[0])
		}
		objects, err := document.Open(d.Object)
		if err != nil {
			return nil, gitops.Problemf(gitops.Invalid, "cannot read the output of template %s: %w", t.name, err).At(places[i])
		}
		for _, object := range objects {
			manifests = append(manifests, gitops.Manifest{Object: object, Origin: places[i]})
		}
	}
	return manifests, nil
}

// helmHooks are the events that Helm knows; an object with any other is no
// part of a release.
var helmHooks = []string{
	"pre-install", "post-install", "pre-delete", "post-delete", "pre-upgrade", "post-upgrade",
	"pre-rollback", "post-rollback", "test", "test-success",
}

func (o *output) sort(m gitops.Manifest) {
	value, ok := m.Object.GetAnnotations()[hookAnnotation]
	if !ok {
		o.plain = append(o.plain, m)
		return
	}
	test := false
	for event := range strings.SplitSeq(value, ",") {
		event = strings.ToLower(strings.TrimSpace(event))
		if !slices.Contains(helmHooks, event) {
			o.source.Warn("UnknownHook", fmt.Sprintf("%s is left out: Helm knows no hook %q", m.Key(), event), m.Origin)
			return
		}
		test = test || strings.HasPrefix(event, "test")
	}
	if !test || !o.skipTests {
		o.hooks = append(o.hooks, m)
	}
}

// whereOf is the place of a line of a chart's file, or the chart.
func whereOf(s *source.Source, ch loaded, f *common.File, line int) gitops.Origin {
	if at, ok := ch.place(f); ok {
		return at.Where(line)
	}
	return s.Tree.Where(s.Path, 0)
}

// templateProblem tells a person of an error of the engine.
func templateProblem(s *source.Source, ch loaded, err error) error {
	var e *engine.Error
	if !errors.As(err, &e) {
		return err // the render was given up
	}
	return &gitops.Problem{
		Kind: gitops.Invalid, What: "cannot render chart " + ch.Name() + ": " + oneLine(e.Error()),
		Where: whereOf(s, ch, e.File, e.Line), Fix: "correct the template or its values", Err: err,
	}
}

// maxMessage bounds the text of a template's error.
const maxMessage = 1000

func oneLine(text string) string {
	return gitops.First(strings.Join(strings.Fields(text), " "), maxMessage)
}
