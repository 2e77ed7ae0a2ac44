package agefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"filippo.io/age"
)

const (
	mostFile       = 64 << 10 // bytes
	mostIdentities = 100
)

// load reads a file that nobody but its user can read. What is in it is in no error.
func load(path string) (found []identity, info os.FileInfo, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the key file: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err = file.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the key file: %w", err)
	}
	if err := private(path, info); err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, mostFile+1))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the key file: %w", err)
	}
	if len(text) > mostFile {
		return nil, nil, fmt.Errorf("cannot use the key file %s: it has more than %d KiB, so it holds something else", path, mostFile>>10) //nolint:mnd // KiB
	}
	found, err = parse(path, text)
	return found, info, err
}

func private(path string, info os.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("cannot use the key file %s: it is no file", path)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("cannot use the key file %s: others can read it or write to it (mode %04o): take that from them with chmod 600, and make a new key if somebody may have read it", path, info.Mode().Perm())
	}
	return nil
}

// parse reads identities. The library's own errors quote what they cannot read, which may be a key.
func parse(path string, text []byte) (found []identity, err error) {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		one, err := age.ParseX25519Identity(string(line))
		if err != nil {
			return nil, fmt.Errorf("cannot use line %d of the key file %s: it is no X25519 identity, which age-keygen makes: a line that begins with AGE-SECRET-KEY-1", number, path)
		}
		found = append(found, identity{one, one.Recipient().String()})
		if len(found) > mostIdentities {
			return nil, fmt.Errorf("cannot use the key file %s: it has more than %d keys: take out those that encrypt nothing any more", path, mostIdentities)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("cannot use the key file %s: no key is in it: make one with age-keygen", path)
	}
	return found, nil
}
