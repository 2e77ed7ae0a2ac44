package hub

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/disk"
	"github.com/causeway-gitops/causeway/internal/render/helm/web"
	"github.com/causeway-gitops/causeway/internal/render/plugin"
	"github.com/causeway-gitops/causeway/internal/render/sops"
	rendersource "github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/worker"
)

// Rendering is how manifests are made beyond what Applications say.
type Rendering struct {
	// Plugins are run for sources that name them, or that they discover.
	Plugins []plugin.Plugin
	// Settings stand for ConfigMap argocd-cm where there is no hub to read it from.
	Settings rendersource.Settings
	// Keys open files that SOPS encrypted.
	Keys sops.Keys
	// StoreDir keeps renderings for the next process; nothing is kept when empty.
	StoreDir string
	// Offline reads no single files by HTTP: those of mirrors remain.
	Offline bool
}

// LoadRendering reads a folder of ConfigManagementPlugin files and files of
// age identities; empty names are left out. SOPS_AGE_KEY and
// SOPS_AGE_KEY_FILE of the environment count as they do for SOPS.
func LoadRendering(pluginDir, keyFile string, env func(string) string) (Rendering, error) {
	var out Rendering
	var err error
	if pluginDir != "" {
		if out.Plugins, err = plugin.Load(pluginDir); err != nil {
			return out, fmt.Errorf("cannot use the plugins of %s: %w", pluginDir, err)
		}
	}
	for _, file := range []string{keyFile, env("SOPS_AGE_KEY_FILE")} {
		if file == "" {
			continue
		}
		keys, err := sops.ReadKeys(file)
		if err != nil {
			return out, err
		}
		out.Keys = out.Keys.Join(keys)
	}
	if text := env("SOPS_AGE_KEY"); text != "" {
		keys, err := sops.ParseKeys(text)
		if err != nil {
			return out, err
		}
		out.Keys = out.Keys.Join(keys)
	}
	return out, nil
}

// Store opens the folder of kept renderings; nil when there is none.
func (r Rendering) Store(log *slog.Logger) *disk.Store {
	if r.StoreDir == "" {
		return nil
	}
	return disk.Open(r.StoreDir, 0, log)
}

// NewRenderer registers the renderers. What lies elsewhere than an
// application's own sources is read through remotes, and single files that
// mirrors have out of local.
func NewRenderer(log *slog.Logger, remotes render.Snapshots, r Rendering, local web.Local, kept *disk.Store) *render.Renderer {
	files := web.Behind{Local: local}
	if !r.Offline {
		files.Web = web.New(web.Options{})
	}
	tools := toolbox{Keys: r.Keys.Reveal(), Plugins: r.Plugins}
	programs := plugin.NewRunner(plugin.Options{Plugins: r.Plugins, TempDir: os.TempDir()})
	o := render.Options{Log: log, Remotes: remotes, Setup: programs.Setup()}
	if !r.Keys.Empty() {
		o.Decrypt = r.Keys
	}
	if kept != nil {
		o.Store = kept
	}
	if workers := render.NewWorkers(worker.Limits{}); workers != nil {
		o.Apart = &render.Apart{Workers: workers, Setup: tools.setup(), Files: files, Programs: programs}
	}
	return render.New(o, tools.renderers(reach{files, programs}, 0)...)
}
