package agefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"filippo.io/age"
)

// Add makes a key and puts it before those of a file, which is made where there is none. It returns the id. The file is
// there as a whole, or as it was, whatever ends the process, and stays the user's whose it was: else a plugin that runs as
// that user could not read the keys that root has added to.
func Add(path string, now time.Time) (id string, err error) {
	target, err := targetOf(path)
	if err != nil {
		return "", fmt.Errorf("cannot write the key file %s: %w", path, err)
	}
	release, err := locked(filepath.Dir(target))
	if err != nil {
		return "", fmt.Errorf("cannot write the key file %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, release()) }()
	before, err := os.ReadFile(target)
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
	if err := replace(target, append(text, before...)); err != nil {
		return "", fmt.Errorf("cannot write the key file %s: %w", path, err)
	}
	return id, nil
}

// targetOf is the file that a path leads to: it is replaced, and not a link to it.
func targetOf(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return target, err
	}
	if _, there := os.Lstat(path); there == nil {
		return "", errors.New("it is a link to what is not there: what it names may be on a medium that is not mounted")
	}
	return path, nil
}

// locked has who adds keys to files of a folder take turns: of two that read a file at a time, one would take the key
// of the other away, with which something may be encrypted by then. The lock ends with the process.
func locked(folder string) (release func() error, err error) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot lock %s: %w", folder, err), dir.Close())
	}
	return dir.Close, nil
}

func replace(target string, text []byte) (err error) {
	folder := filepath.Dir(target)
	file, err := os.CreateTemp(folder, ".key-") // CreateTemp makes the file 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, owned(file, target), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return synced(folder)
}

// owned gives a file to the user and the group of the one in whose place it is put.
func owned(file *os.File, before string) error {
	was, err := os.Stat(before)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	is, err := file.Stat()
	if err != nil {
		return err
	}
	old, now := ofSystem(was), ofSystem(is)
	if old == nil || now == nil || old.Uid == now.Uid && old.Gid == now.Gid {
		return nil
	}
	if err := file.Chown(int(old.Uid), int(old.Gid)); err != nil {
		return fmt.Errorf("it is the user's with the number %d and the group's with the number %d, and cannot stay so: run this as that user, or as root: %w", old.Uid, old.Gid, err)
	}
	return nil
}

func ofSystem(info os.FileInfo) *syscall.Stat_t {
	stat, _ := info.Sys().(*syscall.Stat_t)
	return stat
}

// synced has the name of a new file be on the disk: without its key, nothing that is encrypted can be read again.
func synced(folder string) (err error) {
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
