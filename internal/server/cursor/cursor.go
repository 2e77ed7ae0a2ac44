// Package cursor writes where a page of a list ends, for who asks for the next one: sealed, as that may be a place which
// they may not know of. It does not know what lists there are.
package cursor

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// ErrUnknown is of a text that was sealed with no key of now, or not at all.
var ErrUnknown = errors.New("it is none that was given")

// padding is what the length of a place is rounded up to, in bytes: it would
// tell of the place.
const padding = 320

// Cursors seal places. They are safe for concurrent use.
type Cursors struct {
	mu     sync.Mutex
	sealer cipher.AEAD
}

// New derives the key from that of the installation: what one replica has
// sealed, another one opens.
func New(key []byte) (*Cursors, error) {
	c := &Cursors{}
	return c, c.Rekey(key)
}

// Rekey derives from another key from now on. What was sealed before is not opened.
func (c *Cursors) Rekey(key []byte) error {
	derived, err := hkdf.Key(sha256.New, key, nil, "causeway: places in lists", 32)
	if err != nil {
		return fmt.Errorf("cannot derive a key: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return fmt.Errorf("cannot seal: %w", err)
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return fmt.Errorf("cannot seal: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sealer = sealer
	return nil
}

func (c *Cursors) lock() cipher.AEAD {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sealer
}

// Seal writes a place of a list as a text that says nothing. The list is part of
// it: no other one opens it.
func (c *Cursors) Seal(list string, place any) (string, error) {
	text, err := json.Marshal(place)
	if err != nil {
		return "", fmt.Errorf("cannot write where a page ends: %w", err)
	}
	text = append(text, bytes.Repeat([]byte(" "), (padding-len(text)%padding)%padding)...)
	return base64.RawURLEncoding.EncodeToString(c.lock().Seal(nil, nil, text, []byte(list))), nil //nolint:gosec // the sealer makes a random nonce
}

// Open reads a place of a list that was sealed, or ErrUnknown.
func (c *Cursors) Open(list, text string, place any) error {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ErrUnknown
	}
	plain, err := c.lock().Open(nil, nil, sealed, []byte(list))
	if err != nil || json.Unmarshal(plain, place) != nil {
		return ErrUnknown
	}
	return nil
}
