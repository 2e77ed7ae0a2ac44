package cli

import (
	"os"
	"path/filepath"

	installation "github.com/causeway-gitops/causeway/internal/hub"
	"github.com/spf13/pflag"
)

// renderingFlags say how manifests are made beyond what Applications say.
type renderingFlags struct {
	pluginDir string
	keyFile   string
}

func (r *renderingFlags) register(f *pflag.FlagSet) {
	f.StringVar(&r.pluginDir, "plugin-dir", "", "folder of ConfigManagementPlugin files; their commands run on this machine (default: none)")
	f.StringVar(&r.keyFile, "sops-age-key-file", "", "file of age identities that open files encrypted by SOPS (also: SOPS_AGE_KEY, SOPS_AGE_KEY_FILE)")
}

// load reads them; renderings are kept in a folder of the cache.
func (r *renderingFlags) load(cacheDir string) (installation.Rendering, error) {
	out, err := installation.LoadRendering(r.pluginDir, r.keyFile, os.Getenv)
	if cacheDir != "" {
		out.StoreDir = filepath.Join(cacheDir, "renderings")
	}
	return out, err
}
