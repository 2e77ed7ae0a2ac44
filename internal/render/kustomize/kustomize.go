package kustomize

import (
	"context"
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Options of a Renderer; the zero value renders what needs neither.
type Options struct {
	// Charts renders the charts of kustomizations, where the installation's
	// build options allow them.
	Charts Inflater
	// Web reads single files from elsewhere.
	Web Web
}

// Renderer builds kustomizations. It is safe for concurrent use.
type Renderer struct{ options Options }

var _ source.Renderer = (*Renderer)(nil)

// New makes a Renderer.
func New(o Options) *Renderer { return &Renderer{options: o} }

// Type implements source.Renderer.
func (*Renderer) Type() gitops.SourceType { return gitops.SourceKustomize }

// Render implements source.Renderer.
func (r *Renderer) Render(ctx context.Context, s *source.Source) ([]gitops.Manifest, error) {
	f, err := parseFlags(s.Settings.BuildOptions)
	if err != nil {
		return nil, err
	}
	f.warn(s)
	file, k, err := load(s)
	if err != nil {
		return nil, err
	}
	if err := edit(s, k); err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(k)
	if err != nil {
		return nil, problem(s, "cannot write the edited kustomization: %w", err)
	}
	d, resources, err := r.build(func() *disk {
		d := newDisk(ctx, s, f, file, text)
		d.charts, d.web = r.options.Charts, r.options.Web
		return d
	})
	if err != nil {
		return nil, buildProblem(d, err)
	}
	return manifests(d, resources)
}

// schemas guards the library's schema of Kubernetes' kinds, which is one for
// the whole process: builds share it for reading, so it is parsed once; one
// that brings its own has it to itself and takes it away again.
var schemas sync.RWMutex

// errOwnSchema stops a build that needs the schema to itself.
var errOwnSchema = errors.New("the kustomization brings its own schema")

func (r *Renderer) build(fresh func() *disk) (*disk, resmap.ResMap, error) {
	d := fresh()
	resources, err := shared(d)
	if !d.ownSchema {
		return d, resources, err
	}
	schemas.Lock()
	defer schemas.Unlock()
	defer openapi.ResetOpenAPI()
	d = fresh()
	d.allowSchema = true
	resources, err = d.run()
	return d, resources, err
}

func shared(d *disk) (resmap.ResMap, error) {
	schemas.RLock()
	defer schemas.RUnlock()
	return d.run()
}

func (d *disk) run() (resmap.ResMap, error) {
	options := krusty.MakeDefaultOptions()
	options.Reorder = d.flags.reorder
	options.AddManagedbyLabel = d.flags.managedBy
	if d.flags.anywhere {
		options.LoadRestrictions = types.LoadRestrictionsNone
	}
	return krusty.MakeKustomizer(options).Run(d, d.full("."))
}

// manifests turns what was built into objects, by way of JSON as the
// command does.
func manifests(d *disk, resources resmap.ResMap) ([]gitops.Manifest, error) {
	var out []gitops.Manifest
	d.gather()
	for _, res := range resources.Resources() {
		at := d.place(res)
		text, err := res.MarshalJSON()
		if err != nil {
			return nil, problem(d.source, "cannot read object %s that the kustomization gives: %w", res.CurId(), err)
		}
		var fields map[string]any
		if err := utiljson.Unmarshal(text, &fields); err != nil {
			return nil, problem(d.source, "cannot read object %s that the kustomization gives: %w", res.CurId(), err)
		}
		object := &unstructured.Unstructured{Object: fields}
		d.tidy(object)
		if object.GetKind() == "" {
			return nil, problem(d.source, "cannot read what the kustomization gives: an object has no kind").At(at)
		}
		objects, err := document.Open(object)
		if err != nil {
			return nil, problem(d.source, "cannot read what the kustomization gives: %w", err)
		}
		for _, o := range objects {
			out = append(out, gitops.Manifest{Object: o, Origin: at})
		}
	}
	return out, nil
}
