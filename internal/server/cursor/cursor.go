// Package cursor writes where a page of a list ends, for who asks for the next one: sealed, as that may be a place which
// they may not know of. It does not know what lists there are.
package cursor

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/causeway-gitops/causeway/internal/auth/seal"
)

// ErrUnknown is of a text that was sealed with no key of now, or not at all.
var ErrUnknown = seal.ErrUnknown

// padding is what the length of a place is rounded up to, in bytes: it would
// tell of the place.
const padding = 320

// Cursors seal places. They are safe for concurrent use.
type Cursors struct{ sealer *seal.Sealer }

// New derives the key from that of the installation: what one replica has
// sealed, another one opens.
func New(key []byte) (*Cursors, error) {
	sealer, err := seal.New(key, "causeway: places in lists")
	return &Cursors{sealer}, err
}

// Rekey derives from another key from now on. What was sealed before is not opened.
func (c *Cursors) Rekey(key []byte) error { return c.sealer.Rekey(key) }

// Seal writes a place of a list as a text that says nothing. The list is part of
// it: no other one opens it.
func (c *Cursors) Seal(list string, place any) (string, error) {
	text, err := json.Marshal(place)
	if err != nil {
		return "", fmt.Errorf("cannot write where a page ends: %w", err)
	}
	text = append(text, bytes.Repeat([]byte(" "), (padding-len(text)%padding)%padding)...)
	return c.sealer.Seal(text, list), nil
}

// Open reads a place of a list that was sealed, or ErrUnknown.
func (c *Cursors) Open(list, text string, place any) error {
	plain, err := c.sealer.Open(text, list)
	if err != nil || json.Unmarshal(plain, place) != nil {
		return ErrUnknown
	}
	return nil
}
