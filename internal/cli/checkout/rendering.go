package checkout

import (
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	installation "github.com/causeway-gitops/causeway/internal/hub"
)

// RenderingFlags say how manifests are made beyond what Applications say.
type RenderingFlags struct {
	pluginDir string
	keyFile   string
}

// Register adds the flags.
func (r *RenderingFlags) Register(f *pflag.FlagSet) {
	f.StringVar(&r.pluginDir, "plugin-dir", "", "folder of ConfigManagementPlugin files; their commands run on this machine (default: none)")
	f.StringVar(&r.keyFile, "sops-age-key-file", "", "file of age identities that open files encrypted by SOPS (also: SOPS_AGE_KEY, SOPS_AGE_KEY_FILE)")
}

// Load reads them; renderings are kept in a folder of the cache.
func (r *RenderingFlags) Load(cacheDir string) (installation.Rendering, error) {
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
func (r *RenderingFlags) steady() error {
	if r.keyFile != "" {
		if err := command.Steady("sops-age-key-file", r.keyFile); err != nil {
			return err
		}
	}
	if r.pluginDir == "" {
		return nil
	}
	if err := command.Steady("plugin-dir", r.pluginDir); err != nil {
		return err
	}
	files, _ := os.ReadDir(r.pluginDir) // that there is none is told by who reads it
	for _, f := range files {
		if ext := filepath.Ext(f.Name()); ext != ".yaml" && ext != ".yml" {
			continue
		}
		if err := command.Steady("plugin-dir", filepath.Join(r.pluginDir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}
