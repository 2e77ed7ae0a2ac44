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
	if err := r.steady(); err != nil {
		return installation.Rendering{}, err
	}
	out, err := installation.LoadRendering(r.pluginDir, r.keyFile, os.Getenv)
	if cacheDir != "" {
		out.StoreDir = filepath.Join(cacheDir, "renderings")
	}
	return out, err
}

// steady makes sure that no link in a checkout chooses what is read.
func (r *renderingFlags) steady() error {
	if r.keyFile != "" {
		if err := steady("sops-age-key-file", r.keyFile); err != nil {
			return err
		}
	}
	if r.pluginDir == "" {
		return nil
	}
	if err := steady("plugin-dir", r.pluginDir); err != nil {
		return err
	}
	files, _ := os.ReadDir(r.pluginDir) // that there is none is told by who reads it
	for _, f := range files {
		if ext := filepath.Ext(f.Name()); ext != ".yaml" && ext != ".yml" {
			continue
		}
		if err := steady("plugin-dir", filepath.Join(r.pluginDir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}
