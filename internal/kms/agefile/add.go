package agefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"
)

// Add makes a key and puts it before those of a file, which is made where there is none. It returns the id. The file is
// there as a whole, or as it was, whatever ends the process.
func Add(path string, now time.Time) (id string, err error) {
	before, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", fmt.Errorf("cannot read the key file: %w", err)
	default:
		if _, _, err := load(path); err != nil { // nothing is put before what is no key file
			return "", err
		}
	}
	made, err := age.GenerateX25519Identity()
	if err != nil {
		return "", fmt.Errorf("cannot make a key: %w", err)
	}
	id = made.Recipient().String()
	text := fmt.Appendf(nil, "# created: %s\n# public key: %s\n%s\n", now.UTC().Format(time.RFC3339), id, made)
	if err := replace(path, append(text, before...)); err != nil {
		return "", fmt.Errorf("cannot write the key file %s: %w", path, err)
	}
	return id, nil
}

func replace(path string, text []byte) (err error) {
	target, err := filepath.EvalSymlinks(path) // the file is replaced, and not a link to it
	if err != nil {
		target = path
	}
	folder := filepath.Dir(target)
	file, err := os.CreateTemp(folder, ".key-") // CreateTemp makes the file 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return synced(folder)
}

// synced has the name of a new file be on the disk: without its key, nothing that is encrypted can be read again.
func synced(folder string) (err error) {
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
