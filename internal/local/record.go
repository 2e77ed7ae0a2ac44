package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// recordName is the file in which a home keeps what was started there.
const recordName = "fleet.json"

// Remember writes down what is started, for commands that meet it later.
func (h Home) Remember(f *Fleet) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write down fleet %s: %w", f.Name, err)
	}
	return WriteFile(filepath.Join(h.dir, recordName), text)
}

// Recall returns what was started here last.
func (h Home) Recall() (*Fleet, error) {
	text, err := os.ReadFile(filepath.Join(h.dir, recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("fleet %s was never started here", h.Fleet())
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what fleet %s consists of: %w", h.Fleet(), err)
	}
	f := &Fleet{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("cannot read what fleet %s consists of: %w", h.Fleet(), err)
	}
	return f, nil
}
