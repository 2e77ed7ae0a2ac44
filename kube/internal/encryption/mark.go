package encryption

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/kube/internal/whole"
)

func (c Config) mark() string { return filepath.Join(c.StoreDir, mark) }

// marked are the names of the plugins that have encrypted something.
func marked(c Config) ([]string, error) {
	var names []string
	text, err := os.ReadFile(c.mark())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot tell what has encrypted Secrets of this cluster: %w", err)
	}
	for line := range bytes.Lines(text) {
		if name := string(bytes.TrimSpace(line)); name != "" && name[0] != '#' {
			names = append(names, name)
		}
	}
	former, err := there(filepath.Join(c.DataDir, mark)) // where it was once, and said that of the key file alone
	if former && !slices.Contains(names, ownPlugin) {
		names = append(names, ownPlugin)
	}
	return names, err
}

// note marks those that may encrypt from now on, before they do.
func note(c Config, before []string, own bool) error {
	names := slices.Clone(before)
	if own {
		names = append(names, ownPlugin)
	}
	if c.Socket != "" {
		names = append(names, othersPlugin)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return nil
	}
	if err := os.MkdirAll(c.StoreDir, 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of the datastore: %w", err)
	}
	text := "# What has encrypted Secrets of this cluster: the keys of " + KeyFile + " (" + ownPlugin + "), or a plugin of --kms-socket (" + othersPlugin + ").\n"
	return whole.Write(c.mark(), []byte(text+strings.Join(names, "\n")+"\n"))
}
