package kind

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ours reports whether a cluster of that name was made for a Cluster: by the
// record, or because it has been ready already. It may be asked later.
func (d *Driver) ours(c *causeway.Cluster) func() bool {
	name, ready := c.Name, c.Status.Server != ""
	return func() bool {
		_, err := os.Stat(d.recordOf(name))
		return ready || d.Dir != "" && err == nil
	}
}

func (d *Driver) record(name string) error {
	if d.Dir == "" {
		return gitops.Problemf(gitops.Forbidden, "this engine makes no clusters of kind: it has no folder to remember them in").
			Do("run the engine as a process, or choose another driver")
	}
	err := os.MkdirAll(d.Dir, 0o700)
	if err == nil {
		err = os.WriteFile(d.recordOf(name), nil, 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot remember that cluster %s is made: %w", name, err)
	}
	return nil
}

func (d *Driver) unrecord(name string) error {
	if d.Dir == "" {
		return nil
	}
	if err := os.Remove(d.recordOf(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot forget cluster %s: %w", name, err)
	}
	return nil
}

func (d *Driver) recordOf(name string) string { return filepath.Join(d.Dir, name) }
