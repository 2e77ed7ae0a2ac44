package kustomize

import (
	"context"
	"sync"

	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/openapi/kubernetesapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/worker"
)

// Options of a Renderer; the zero value renders what needs neither.
type Options struct {
	// Charts renders the charts of kustomizations, where the installation's
	// build options allow them.
	Charts Inflater
	// Web reads single files from elsewhere.
	Web Web
	// Workers build what is not plain; when nil shared ones do, if the
	// executable calls Worker, else this process.
	Workers *worker.Pool
	// Bounded tells that this process has a bound of memory and nothing else to do,
	// as a worker that renders: it builds what is not plain as well.
	Bounded bool
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
	d, built, err := r.build(ctx, func() *disk {
		d := newDisk(ctx, s, f, file, text)
		d.charts, d.web = r.options.Charts, r.options.Web
		return d
	})
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

// build builds what is plain here, which costs least, and everything else in
// a process of its own: the library can neither be stopped nor bounded.
func (r *Renderer) build(ctx context.Context, fresh func() *disk) (*disk, []product, error) {
	d := fresh()
	if !r.options.Bounded {
		built, err := within(d)
		if d.odd == "" {
			return d, built, err
		}
		d = fresh()
	}
	d.isApart = true
	workers := r.options.Workers
	if workers == nil && worker.Hooked(workerKind) {
		workers = shared()
	}
	if workers == nil {
		built, err := alone(d)
		return d, built, err
	}
	built, err := d.apart(ctx, workers)
	return d, built, err
}

// schemas guards the library's schema of Kubernetes' kinds, which is one for
// the whole process: builds share it for reading, so it is parsed once; one
// that may bring its own has it to itself and takes it away again.
var schemas sync.RWMutex

func within(d *disk) ([]product, error) {
	parsed.Do(parseSchema)
	schemas.RLock()
	defer schemas.RUnlock()
	return d.order().run(d)
}

// alone builds what is not plain where this executable cannot be a worker, as
// in tests of other packages.
func alone(d *disk) ([]product, error) {
	schemas.Lock()
	defer schemas.Unlock()
	defer schemaOfAll()
	return d.order().run(d)
}

// schemaOfAll takes a schema away that a kustomization brought.
func schemaOfAll() {
	if openapi.GetSchemaVersion() != kubernetesapi.DefaultOpenAPI {
		openapi.ResetOpenAPI()
		parseSchema()
	}
}

// parsed is for the first of the builds that share the schema: the library looks
// kinds up without its lock while another build has it parsed.
var parsed sync.Once

func parseSchema() { openapi.SchemaForResourceType(kyaml.TypeMeta{}) }
