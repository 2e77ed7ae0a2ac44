package local

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/privatedir"
)

// placeName is how much of a folder's name the name of its state begins with.
const placeName = 32

// StateFolder is where the fleets of a folder have their state: that of the
// nearest folder, this one or one above, that has any; else this one's own. It
// is a folder of the user's, never of a checkout: a branch that is checked out
// writes over files that Git ignores, and what says where a fleet is, how to
// get in and what it consists of is not for others to write.
func StateFolder(here string) (string, error) {
	base, err := places()
	if err != nil {
		return "", err
	}
	here, err = filepath.EvalSymlinks(here)
	if err != nil {
		return "", fmt.Errorf("cannot tell which folder this is: %w", err)
	}
	for dir := here; ; {
		place := filepath.Join(base, placeOf(dir))
		if info, err := os.Lstat(place); err == nil && info.IsDir() {
			return place, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return filepath.Join(base, placeOf(here)), nil
		}
		dir = parent
	}
}

// places is the user's folder with the state of all fleets, checked.
func places() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("cannot tell where the state of local fleets is: %w; name a folder with --state-dir", err)
		}
		if !filepath.IsAbs(home) {
			return "", errors.New("cannot tell where the state of local fleets is: HOME is no absolute path; name a folder with --state-dir")
		}
		state = filepath.Join(home, ".local", "state")
	}
	base := filepath.Join(state, "causeway", "fleets")
	for _, dir := range []string{filepath.Dir(base), base} {
		if err := privatedir.Check(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return base, nil
}

// placeOf names the state of a folder: by its name, for people, and a digest of
// its path.
func placeOf(dir string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return -1
	}, filepath.Base(dir))
	sum := sha256.Sum256([]byte(dir))
	return name[:min(len(name), placeName)] + "-" + hex.EncodeToString(sum[:16])
}
