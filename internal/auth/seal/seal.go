// Package seal makes texts that others keep and hand back, and that say nothing to them. It does not know what they say,
// nor how often each counts.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
)

// ErrUnknown is of a text that was sealed with no key of now, for something else, or not at all.
var ErrUnknown = errors.New("it is none that was given")

// keyBytes is the length of a key of AES-256.
const keyBytes = 32

// Sealer seals texts for one purpose. It is safe for concurrent use.
type Sealer struct {
	purpose string

	mu  sync.Mutex
	now cipher.AEAD
}

// New derives a key for a purpose from that of the installation: what one
// replica has sealed, another one opens.
func New(key []byte, purpose string) (*Sealer, error) {
	s := &Sealer{purpose: purpose}
	return s, s.Rekey(key)
}

// Rekey derives from another key from now on. What was sealed before is not opened.
func (s *Sealer) Rekey(key []byte) error {
	derived, err := hkdf.Key(sha256.New, key, nil, s.purpose, keyBytes)
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = sealer
	return nil
}

func (s *Sealer) current() cipher.AEAD {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Seal makes a text of what is given. About is what it has to be opened for.
func (s *Sealer) Seal(plain []byte, about string) string {
	return base64.RawURLEncoding.EncodeToString(s.current().Seal(nil, nil, plain, []byte(about))) //nolint:gosec // the sealer makes a random nonce of its own
}

// Open is what was sealed, or ErrUnknown.
func (s *Sealer) Open(text, about string) ([]byte, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, ErrUnknown
	}
	plain, err := s.current().Open(nil, nil, sealed, []byte(about))
	if err != nil {
		return nil, ErrUnknown
	}
	return plain, nil
}
