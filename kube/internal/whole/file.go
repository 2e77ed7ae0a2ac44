// Package whole has files that are there as a whole or not at all, whatever ends the process that writes them.
package whole

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write replaces a file, which only this user can read.
func Write(path string, text []byte) error {
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

// Read reads what Write wrote. A file with nothing in it is none: a crash left it before there was Write.
func Read(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err == nil && len(bytes.Trim(text, "\x00 \t\r\n")) == 0 {
		return nil, fmt.Errorf("nothing is in %s: %w", path, os.ErrNotExist)
	}
	return text, err
}
