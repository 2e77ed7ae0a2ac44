package sops

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"filippo.io/age"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Keys are age identities. The zero value has none: encrypted files are
// recognised and left as they are.
type Keys struct {
	identities []age.Identity
	lines      []string // as they are written
}

// ParseKeys reads identities in the form of SOPS_AGE_KEY and of the files of
// age-keygen: one a line, empty lines and # comments are left out.
func ParseKeys(text string) (Keys, error) { return parseKeys("the SOPS key", text) }

// longestKeys bounds a file of keys, in bytes.
const longestKeys = 1 << 20

// ReadKeys reads a file in the form of SOPS_AGE_KEY_FILE.
func ReadKeys(file string) (Keys, error) {
	text, err := bounded.File(file, longestKeys)
	if long := (*bounded.TooLong)(nil); errors.As(err, &long) {
		return Keys{}, gitops.Problemf(gitops.Invalid, "cannot read the SOPS key file: %w", err).Do("name a file with age identities alone")
	}
	if err != nil {
		return Keys{}, fmt.Errorf("cannot read the SOPS key file: %w", err)
	}
	return parseKeys(file, string(text))
}

// parseKeys tells lines, never what stands in them.
func parseKeys(name, text string) (Keys, error) {
	var keys Keys
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		found, err := age.ParseIdentities(strings.NewReader(line))
		if err != nil {
			return Keys{}, gitops.Problemf(gitops.Invalid, "cannot read %s: line %d is no age identity", name, number).
				Do("write lines that begin with AGE-SECRET-KEY-, as age-keygen makes them")
		}
		keys.identities, keys.lines = append(keys.identities, found...), append(keys.lines, line)
	}
	if len(keys.identities) == 0 {
		return Keys{}, gitops.Problemf(gitops.Invalid, "cannot read %s: it has no age identity", name).
			Do("write lines that begin with AGE-SECRET-KEY-, as age-keygen makes them")
	}
	return keys, nil
}

// Join returns the keys of both.
func (k Keys) Join(other Keys) Keys {
	return Keys{slices.Concat(k.identities, other.identities), slices.Concat(k.lines, other.lines)}
}

// Reveal is what ParseKeys makes these keys of, for a worker of this process
// and nobody else; empty when there is none.
func (k Keys) Reveal() string { return strings.Join(k.lines, "\n") }

// Len is the number of keys.
func (k Keys) Len() int { return len(k.identities) }

// String is a placeholder.
func (k Keys) String() string {
	if k.Len() == 0 {
		return ""
	}
	return gitops.Redacted
}

// GoString is a placeholder too, for %#v.
func (k Keys) GoString() string { return `"` + k.String() + `"` }

// MarshalJSON writes the placeholder.
func (k Keys) MarshalJSON() ([]byte, error) { return []byte(`"` + k.String() + `"`), nil }

// LogValue logs the placeholder.
func (k Keys) LogValue() slog.Value { return slog.StringValue(k.String()) }

// Empty reports whether there is no key.
func (k Keys) Empty() bool { return len(k.identities) == 0 }
