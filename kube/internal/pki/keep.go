package pki

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// keep writes a file that only this user can read. It is there as a whole, or not at all: half a key would keep the
// cluster from starting for ever.
func keep(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-") // CreateTemp makes the file 0600
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("cannot write %s: %w", path, err), os.Remove(file.Name()))
	}
	return nil
}

// kept reads what keep wrote. A file with nothing in it is none: a crash left it.
func kept(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err == nil && len(bytes.Trim(text, "\x00 \t\r\n")) == 0 {
		return nil, fmt.Errorf("nothing is in %s: %w", path, os.ErrNotExist)
	}
	return text, err
}
