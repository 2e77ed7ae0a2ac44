package agefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"filippo.io/age"
)

// most bytes that were encrypted: seeds of API servers have 32.
const most = 1 << 10

// Key encrypts with the first identity of a file, and decrypts with each. A file that has changed is read again at the
// next use. One that cannot be read then encrypts nothing, and what was read before goes on decrypting.
type Key struct {
	path string

	mu         sync.Mutex
	seen       stamp
	err        error
	identities []identity
}

// identity is a key, with its public half as its id.
type identity struct {
	*age.X25519Identity

	id string
}

// stamp is what a file was when it was read.
type stamp struct {
	info     os.FileInfo
	modified time.Time
	size     int64
}

// same also notices a file that was put in the place of another one.
func (s stamp) same(info os.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, info) && s.modified.Equal(info.ModTime()) && s.size == info.Size() && s.info.Mode() == info.Mode()
}

// Open reads a file.
func Open(path string) (*Key, error) {
	k := &Key{path: path}
	_, err := k.read()
	return k, err
}

// Encrypt implements kms.Key.
func (k *Key) Encrypt(_ context.Context, plain []byte) (text []byte, id string, err error) {
	identities, err := k.read()
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	w, err := age.Encrypt(&out, identities[0].Recipient())
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, "", fmt.Errorf("cannot encrypt with the first key of %s: %w", k.path, err)
	}
	return out.Bytes(), identities[0].id, nil
}

// Decrypt implements kms.Key.
func (k *Key) Decrypt(_ context.Context, text []byte, id string) ([]byte, error) {
	identities, unread := k.read()
	for _, one := range identities {
		if one.id != id {
			continue
		}
		r, err := age.Decrypt(bytes.NewReader(text), one)
		if err != nil {
			return nil, fmt.Errorf("cannot decrypt with the key %s of %s: this was not encrypted with it, or is damaged", id, k.path)
		}
		plain, err := io.ReadAll(io.LimitReader(r, most+1))
		if err != nil || len(plain) > most {
			return nil, fmt.Errorf("cannot decrypt with the key %s of %s: what was encrypted is damaged, or has more than %d bytes", id, k.path, most)
		}
		return plain, nil
	}
	err := fmt.Errorf("cannot decrypt what was encrypted with the key %s, which is not in %s: put it back there, below the first one", id, k.path)
	return nil, errors.Join(err, unread)
}

// read returns what the file has now. Where it cannot be used, what it had comes with the error.
func (k *Key) read() ([]identity, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	info, err := os.Stat(k.path)
	if err != nil {
		k.seen, k.err = stamp{}, fmt.Errorf("cannot read the key file: %w", err)
		return k.identities, k.err
	}
	if k.seen.same(info) {
		return k.identities, k.err
	}
	found, info, err := load(k.path)
	if err != nil {
		k.seen, k.err = stamp{}, err // until it is repaired it is looked at each time, since rights change without a trace
		return k.identities, k.err
	}
	k.seen = stamp{info: info, modified: info.ModTime(), size: info.Size()}
	k.identities, k.err = found, nil
	return found, nil
}
