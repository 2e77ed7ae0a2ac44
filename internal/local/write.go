package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile replaces a file at once, for this user alone: neither a reader nor a
// crash leaves half of it. Its folder is made.
func WriteFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of %s: %w", path, err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-") // 0600
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	_, err = temporary.Write(text)
	err = errors.Join(err, temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, errors.Join(err, os.Remove(temporary.Name())))
	}
	return nil
}
