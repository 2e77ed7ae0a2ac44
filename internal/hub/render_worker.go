package hub

import (
	"encoding/json"

	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/plugin"
	"github.com/causeway-gitops/causeway/internal/render/proxy"
	"github.com/causeway-gitops/causeway/internal/render/sops"
	rendersource "github.com/causeway-gitops/causeway/internal/render/source"
)

// RenderWorker makes this process one that renders for an engine if it was started
// as one, and does not return then: see render.Worker.
func RenderWorker() { render.Worker(workerTools) }

// workerCache bounds what a worker keeps of charts, and of templates, in bytes:
// the next render, of whomever, needs the memory that there is.
const workerCache = 16 << 20

// toolbox is what renderers are made of, in the engine and in its workers. It goes
// to these by their input alone.
type toolbox struct {
	Keys    string
	Plugins []plugin.Plugin
}

// setup is the toolbox as a worker gets it.
func (t toolbox) setup() []byte {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // texts and lists of texts
	}
	return text
}

// build makes the renderers. What is read by its address comes of files; a cache of 0
// has its own size.
func (t toolbox) build(keys sops.Keys, files proxy.Files, run plugin.Options, cache int64) (render.Options, []rendersource.Renderer) {
	charts := helm.New(helm.Options{Files: files, CacheBytes: cache})
	bases := kustomize.Options{Web: files, Charts: charts, Bounded: run.Apart}
	run.Plugins = t.Plugins
	plugins := plugin.New(run)
	o := render.Options{Setup: plugins.Setup()}
	if !keys.Empty() {
		o.Decrypt = keys
	}
	return o, []rendersource.Renderer{directory.New(), charts, kustomize.New(bases), plugins}
}

// workerTools is the render.Builder.
func workerTools(setup []byte, engine *proxy.Guest) (render.Options, []rendersource.Renderer, error) {
	var t toolbox
	if err := json.Unmarshal(setup, &t); err != nil {
		return render.Options{}, nil, err
	}
	var keys sops.Keys
	if t.Keys != "" {
		var err error
		if keys, err = sops.ParseKeys(t.Keys); err != nil {
			return render.Options{}, nil, err
		}
	}
	o, renderers := t.build(keys, engine, plugin.Options{Apart: true}, workerCache)
	return o, renderers, nil
}
