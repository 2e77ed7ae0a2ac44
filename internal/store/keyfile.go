package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FileKey reads the key of a file, and makes one where there is none. A file
// with nothing in it is none: a crash left it before there was a key.
func FileKey(path string) (Key, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return makeKey(path, placeFirst)
	case err != nil:
		return Key{}, fmt.Errorf("cannot read the key of the store: %w", err)
	case strings.Trim(string(text), "\x00 \t\r\n") == "":
		return makeKey(path, os.Rename)
	}
	k, err := ParseKey(text)
	if err != nil {
		return Key{}, fmt.Errorf("cannot use %s: %w; put back the file that was there, or remove it: what it sealed can then not be read any more", path, err)
	}
	return k, nil
}

// makeKey writes a key that is there as a whole, or not at all, whatever
// happens. Place puts the file where it belongs.
func makeKey(path string, place func(from, to string) error) (Key, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Key{}, fmt.Errorf("cannot make the folder of the store: %w", err)
	}
	k := NewKey()
	f, err := os.CreateTemp(filepath.Dir(path), ".key-") // 0600
	if err != nil {
		return Key{}, fmt.Errorf("cannot make the key of the store: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already when it was renamed
	_, err = f.WriteString(hex.EncodeToString(k[:]) + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = place(f.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		return FileKey(path)
	}
	if err != nil {
		return Key{}, fmt.Errorf("cannot keep the key of the store: %w", err)
	}
	settle(filepath.Dir(path))
	return k, nil
}

// placeFirst leaves a key that came first, which then is the key. A file system
// without links keeps the last one.
func placeFirst(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(from, to)
}

// settle has a folder remember what is in it, where the file system can.
func settle(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = errors.Join(d.Sync(), d.Close())
	}
}
