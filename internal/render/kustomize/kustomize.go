package kustomize

import (
	"context"
	"errors"
	"sync"

	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/openapi/kubernetesapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
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
	file, text, err := edited(s)
	if err != nil {
		return nil, err
	}
	d := newDisk(ctx, s, f, file, text)
	d.charts, d.web = r.options.Charts, r.options.Web
	built, err := build(d)
	if err != nil {
		return nil, buildProblem(d, err)
	}
	return manifests(d, built)
}

// edited is the kustomization file of the source's folder, with the application's
// settings in its text.
func edited(s *source.Source) (file string, text []byte, err error) {
	file, k, err := load(s)
	if err != nil {
		return "", nil, err
	}
	if err := edit(s, k); err != nil {
		return "", nil, err
	}
	if text, err = bounded.WriteYAML(map[string]any(k)); err != nil {
		return "", nil, problem(s, "cannot write the edited kustomization: %w", err)
	}
	return file, text, nil
}

// schema guards the library's schema of Kubernetes' kinds, which is one for the whole
// process: a kustomization may bring its own.
var schema sync.Mutex

// build builds one kustomization after the other. The library can neither be stopped
// nor bounded: the process is.
func build(d *disk) ([]product, error) {
	schema.Lock()
	defer schema.Unlock()
	defer schemaOfAll()
	built, err := d.run()
	if err != nil && len(err.Error()) > maxError {
		err = errors.New(gitops.First(err.Error(), maxError))
	}
	return built, err
}

// maxError bounds what is kept of an error, of which people are shown less: the library
// writes a line for each pair of the same key.
const maxError = 32 << 10

// schemaOfAll takes a schema away that a kustomization brought.
func schemaOfAll() {
	if openapi.GetSchemaVersion() != kubernetesapi.DefaultOpenAPI {
		openapi.ResetOpenAPI()
		openapi.SchemaForResourceType(kyaml.TypeMeta{})
	}
}
