package helm

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// maxOutput bounds what a chart's templates give together.
const maxOutput = 100 << 20

const (
	hookAnnotation = "helm.sh/hook"
	notesFile      = "NOTES.txt"
)

// output sorts what a chart gives.
type output struct {
	source    *source.Source
	chart     string
	skipTests bool

	crd, plain, hooks []gitops.Manifest
}

func (o *output) manifests() []gitops.Manifest { return slices.Concat(o.crd, o.plain, o.hooks) }

func (o *output) crds(files []chart.CRD) error {
	for _, f := range files {
		manifests, err := o.read(f.Filename, string(f.File.Data))
		if err != nil {
			return err
		}
		o.crd = append(o.crd, manifests...)
	}
	return nil
}

func (o *output) templates(files map[string]string) error {
	size := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if size += len(files[name]); size > maxOutput {
			return problem(o.source, "cannot render chart %s: its templates give more than %d MiB", o.chart, maxOutput>>20)
		}
		if path.Base(name) == notesFile {
			continue
		}
		manifests, err := o.read(name, files[name])
		if err != nil {
			return err
		}
		for _, m := range manifests {
			o.sort(m)
		}
	}
	return nil
}

func (o *output) read(name, text string) ([]gitops.Manifest, error) {
	file := fileOf(o.source, o.chart, name)
	docs, err := document.ReadLoose([]byte(text))
	if err != nil {
		e := document.AsError(err)
		return nil, gitops.Problemf(gitops.Invalid, "cannot read the output of template %s: line %d of the output: %s", name, e.Line, e.Text).
			At(o.source.Tree.Where(file, 0)).Do("correct the template or its values")
	}
	var manifests []gitops.Manifest
	for _, d := range docs {
		at := o.source.Tree.Where(file, 0)
		if d.Duplicate != nil {
			o.source.Warn("DuplicateKey", fmt.Sprintf("the last one counts, in line %d of the output: %s", d.Duplicate.Line, d.Duplicate.Text), at)
		}
		objects, err := document.Open(d.Object)
		if err != nil {
			return nil, gitops.Problemf(gitops.Invalid, "cannot read the output of template %s: %w", name, err).At(at)
		}
		for _, object := range objects {
			manifests = append(manifests, gitops.Manifest{Object: object, Origin: at})
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

// fileOf is the path in the repository of a template's path in the chart.
func fileOf(s *source.Source, chartName, name string) string {
	return path.Join(s.Path, strings.TrimPrefix(name, chartName+"/"))
}

var templatePlace = regexp.MustCompile(`([^\s():"'<>]+/[^\s():"'<>]+):(\d+)(?::\d+)?`)

// templateProblem finds the innermost place in a template's error.
func templateProblem(s *source.Source, chartName string, err error) error {
	var inner *gitops.Problem
	if errors.As(err, &inner) {
		return inner
	}
	where := s.Tree.Where(s.Path, 0)
	for _, m := range templatePlace.FindAllStringSubmatch(err.Error(), -1) {
		if !strings.HasPrefix(m[1], chartName+"/") {
			continue
		}
		line, _ := strconv.Atoi(m[2])
		where = s.Tree.Where(fileOf(s, chartName, m[1]), line)
	}
	return &gitops.Problem{
		Kind: gitops.Invalid, What: "cannot render chart " + chartName + ": " + oneLine(err.Error()),
		Where: where, Fix: "correct the template or its values", Err: err,
	}
}

// maxMessage bounds the text of a template's error.
const maxMessage = 1000

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxMessage {
		text = text[:maxMessage] + "…"
	}
	return text
}
