package kustomize

import (
	"context"
	"errors"
	"path"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Options of a Renderer; the zero value takes the defaults.
type Options struct {
	// LoadAnywhere lets kustomizations read files outside their own folder,
	// but inside the repository: --load-restrictor LoadRestrictionsNone.
	LoadAnywhere bool
}

// Renderer builds kustomizations. It is safe for concurrent use.
type Renderer struct{ options krusty.Options }

var _ source.Renderer = (*Renderer)(nil)

// New makes a Renderer.
func New(o Options) *Renderer {
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionUnspecified
	if o.LoadAnywhere {
		options.LoadRestrictions = types.LoadRestrictionsNone
	}
	return &Renderer{options: *options}
}

// Type implements source.Renderer.
func (*Renderer) Type() gitops.SourceType { return gitops.SourceKustomize }

// Render implements source.Renderer.
func (r *Renderer) Render(ctx context.Context, s *source.Source) ([]gitops.Manifest, error) {
	file, k, err := load(s)
	if err != nil {
		return nil, err
	}
	if err := edit(s, k); err != nil {
		return nil, err
	}
	ours := k.trace()
	text, err := yaml.Marshal(k)
	if err != nil {
		return nil, problem(s, "cannot write the edited kustomization: %w", err)
	}
	fs := newFS(ctx, s, file, text)
	resources, err := r.build(fs, s.Path)
	if err != nil {
		return nil, buildProblem(s, fs, err)
	}
	return manifests(s, resources, ours)
}

// schemas guards the library's schema of Kubernetes' kinds, which is one for
// the whole process: builds share it for reading, so it is parsed once; one
// that brings its own has it to itself and takes it away again.
var schemas sync.RWMutex

// errOwnSchema stops a build that needs the schema to itself.
var errOwnSchema = errors.New("the kustomization brings its own schema")

func (r *Renderer) build(fs *treeFS, dir string) (resmap.ResMap, error) {
	resources, err := r.shared(fs, dir)
	if !fs.ownSchema {
		return resources, err
	}
	schemas.Lock()
	defer schemas.Unlock()
	defer openapi.ResetOpenAPI()
	fs.allowSchema = true
	return krusty.MakeKustomizer(&r.options).Run(fs, "/"+clean(dir))
}

func (r *Renderer) shared(fs *treeFS, dir string) (resmap.ResMap, error) {
	schemas.RLock()
	defer schemas.RUnlock()
	return krusty.MakeKustomizer(&r.options).Run(fs, "/"+clean(dir))
}

func clean(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}

// manifests turns what was built into objects, by way of JSON as the
// command does.
func manifests(s *source.Source, resources resmap.ResMap, ours bool) ([]gitops.Manifest, error) {
	var out []gitops.Manifest
	for _, res := range resources.Resources() {
		file := originOf(s, res)
		text, err := res.MarshalJSON()
		if err != nil {
			return nil, problem(s, "cannot read object %s that the kustomization gives: %w", res.CurId(), err)
		}
		var fields map[string]any
		if err := utiljson.Unmarshal(text, &fields); err != nil {
			return nil, problem(s, "cannot read object %s that the kustomization gives: %w", res.CurId(), err)
		}
		object := &unstructured.Unstructured{Object: fields}
		if ours {
			dropOrigin(object)
		}
		if object.GetKind() == "" {
			return nil, problem(s, "cannot read what the kustomization gives: an object has no kind")
		}
		objects, err := document.Open(object)
		if err != nil {
			return nil, problem(s, "cannot read what the kustomization gives: %w", err)
		}
		for _, o := range objects {
			out = append(out, gitops.Manifest{Object: o, Origin: s.Tree.Where(file, 0)})
		}
	}
	return out, nil
}

const originAnnotation = "config.kubernetes.io/origin"

// originOf is the file in the repository that an object was read from, or
// that configured the generator that made it.
func originOf(s *source.Source, res *resource.Resource) string {
	o, err := res.GetOrigin()
	if err != nil || o == nil {
		return ""
	}
	name := o.Path
	if name == "" {
		name = o.ConfiguredIn
	}
	if name == "" || o.Repo != "" {
		return ""
	}
	file, ok := source.Inside(s.Path, name)
	if !ok {
		return ""
	}
	return file
}

func dropOrigin(o *unstructured.Unstructured) {
	annotations := o.GetAnnotations()
	if _, ok := annotations[originAnnotation]; !ok {
		return
	}
	delete(annotations, originAnnotation)
	if len(annotations) == 0 {
		annotations = nil
	}
	o.SetAnnotations(annotations)
}

func problem(s *source.Source, format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, format, args...).At(s.Tree.Where(s.Path, 0))
}

// buildProblem prefers what the file system saw to the library's long text.
func buildProblem(s *source.Source, fs *treeFS, err error) error {
	if fs.problem != nil {
		return fs.problem
	}
	text := strings.ReplaceAll(err.Error(), "'/", "'")
	if len(text) > 1000 {
		text = text[:1000] + "…"
	}
	p := problem(s, "cannot build the kustomization: %s", strings.Join(strings.Fields(text), " "))
	p.Err = err
	return p.Do("correct the kustomization; kustomize build " + path.Clean(s.Path) + " shows the same")
}
