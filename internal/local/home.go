package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/causeway-gitops/causeway/internal/privatedir"
)

// Home is the folder that keeps a fleet's state: clusters with their data, the
// kubeconfig, logs and caches.
type Home struct{ dir string }

// HomeOf returns the home of a fleet in a state folder. Nothing is made yet.
func HomeOf(stateDir, fleet string) (Home, error) {
	dir, err := filepath.Abs(filepath.Join(stateDir, fleet))
	if err != nil {
		return Home{}, fmt.Errorf("cannot use the state folder %s: %w", stateDir, err)
	}
	return Home{dir: dir}, nil
}

// Homes lists the fleets of a state folder, ordered by name.
func Homes(stateDir string) ([]Home, error) {
	entries, err := os.ReadDir(stateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the state folder %s: %w", stateDir, err)
	}
	var homes []Home
	for _, entry := range entries {
		home, err := HomeOf(stateDir, entry.Name())
		if err != nil {
			return nil, err
		}
		if home.Exists() {
			homes = append(homes, home)
		}
	}
	return homes, nil
}

// Dir is the folder itself.
func (h Home) Dir() string { return h.dir }

// Fleet is the fleet's name.
func (h Home) Fleet() string { return filepath.Base(h.dir) }

// Kubeconfig has one context a cluster.
func (h Home) Kubeconfig() string { return filepath.Join(h.dir, "kubeconfig") }

// Log of the engine and of what `up` does.
func (h Home) Log() string { return filepath.Join(h.dir, "up.log") }

// Progress is where a detached fleet tells how far it is.
func (h Home) Progress() string { return filepath.Join(h.dir, "progress.json") }

// Cache of fetched sources and renders.
func (h Home) Cache() string { return filepath.Join(h.dir, "cache") }

// ClusterDir keeps one cluster's data.
func (h Home) ClusterDir(cluster string) string { return filepath.Join(h.dir, "clusters", cluster) }

func (h Home) clusterKubeconfig(cluster string) string {
	return filepath.Join(h.ClusterDir(cluster), "kubeconfig")
}

func (h Home) clusterLog(cluster string) string {
	return filepath.Join(h.ClusterDir(cluster), "causeway-kube.log")
}

// applied remembers the labels and annotations that were last written to a
// cluster's Secret, to tell them from those that people changed.
func (h Home) applied(cluster string) string {
	return filepath.Join(h.dir, "secrets", cluster+".json")
}

// make makes the folder, or takes the one of an earlier start: what somebody
// else has put there is not for a fleet to use, and to remove later.
func (h Home) make() error {
	stateDir := filepath.Dir(h.dir)
	if privatedir.IsLink(stateDir) {
		return fmt.Errorf("cannot use the state folder %s: it is a link; name the folder that it leads to with --state-dir", stateDir)
	}
	if err := privatedir.Folder(h.dir); err != nil {
		return fmt.Errorf("cannot keep the state of fleet %s: %w", h.Fleet(), err)
	}
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return fmt.Errorf("cannot read the state folder %s: %w", h.dir, err)
	}
	if len(entries) > 0 && !h.begun() {
		return fmt.Errorf("cannot use the state folder %s: it has other things than the state of a fleet, such as %s; give the fleet another name, or name another folder with --state-dir",
			h.dir, entries[0].Name())
	}
	return nil
}

// begun reports whether there is a lock, whatever it is.
func (h Home) begun() bool {
	_, err := os.Lstat(filepath.Join(h.dir, lockName))
	return err == nil
}

// Exists reports whether a fleet was ever started here. A lock that is a link is
// another fleet's: a checkout could have its own kubeconfig beside it. So is
// what a folder that is a link leads to.
func (h Home) Exists() bool {
	info, err := os.Lstat(filepath.Join(h.dir, lockName))
	return err == nil && info.Mode().IsRegular() && !privatedir.IsLink(h.dir) && !privatedir.IsLink(filepath.Dir(h.dir))
}

// Clear removes everything but the lock, which the caller holds, and the log,
// which it may be writing to. What holds the lock has no folder but that of a
// fleet.
func (h Home) Clear() error {
	entries, err := os.ReadDir(h.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read the state folder %s: %w", h.dir, err)
	}
	for _, entry := range entries {
		if entry.Name() == lockName || entry.Name() == filepath.Base(h.Log()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(h.dir, entry.Name())); err != nil {
			return fmt.Errorf("cannot remove the state of fleet %s: %w", h.Fleet(), err)
		}
	}
	return nil
}
