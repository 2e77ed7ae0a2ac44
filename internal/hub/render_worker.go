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

// reach is what renders get of elsewhere than their sources.
type reach struct {
	// Files are read by their address, Programs run for plugins.
	Files    proxy.Files
	Programs rendersource.Programs
}

// renderers are made with what they reach; a cache of 0 has its own size.
func (t toolbox) renderers(r reach, cache int64) []rendersource.Renderer {
	charts := helm.New(helm.Options{Files: r.Files, CacheBytes: cache})
	bases := kustomize.Options{Web: r.Files, Charts: charts}
	return []rendersource.Renderer{directory.Renderer{}, charts, kustomize.New(bases), plugin.New(t.Plugins, r.Programs)}
}

// workerTools is the render.Builder.
func workerTools(setup []byte, engine *proxy.Guest) (render.Options, []rendersource.Renderer, error) {
	var t toolbox
	if err := json.Unmarshal(setup, &t); err != nil {
		return render.Options{}, nil, err
	}
	var o render.Options
	if t.Keys != "" {
		keys, err := sops.ParseKeys(t.Keys)
		if err != nil {
			return render.Options{}, nil, err
		}
		o.Decrypt = keys
	}
	return o, t.renderers(reach{engine, engine}, workerCache), nil
}
