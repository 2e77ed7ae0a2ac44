package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// signInName is the file that says how to reach the pages of a fleet. It
// outlives a stop, so that a password stays good. Only its owner can read it.
const signInName = "sign-in.json"

// SignIn is how a person reaches the pages of a fleet.
type SignIn struct {
	// URL is empty while no pages are served.
	URL      string `json:"url"`
	Username string `json:"username"`
	// Password is empty where the account was given one of its own since.
	Password string `json:"password"`
	// Own is a digest of the account's own password when this was written;
	// empty where it had none.
	Own string `json:"own,omitempty"`
}

// WriteSignIn says how the pages are reached from now on.
func (h Home) WriteSignIn(s SignIn) error {
	text, err := json.Marshal(s) //nolint:gosec // it is what the file is for
	if err != nil {
		return fmt.Errorf("cannot write down how to sign in: %w", err)
	}
	return WriteFile(filepath.Join(h.dir, signInName), text)
}

// ForgetAddress removes where an earlier start served its pages. The password
// stays.
func (h Home) ForgetAddress() error {
	s, err := h.SignIn()
	if err != nil || s == nil || s.URL == "" {
		return err
	}
	s.URL = ""
	return h.WriteSignIn(*s)
}

// SignIn is how the pages are reached; nil where none ever were.
func (h Home) SignIn() (*SignIn, error) {
	path := filepath.Join(h.dir, signInName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	s := &SignIn{}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read how to sign in: %w; remove %s for a new password", err, path)
	}
	return s, nil
}
