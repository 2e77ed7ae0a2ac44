// Package password hashes and verifies passwords of local users, and makes passwords for one use.
//
// New hashes are argon2id. Those of Argo CD's Secret, bcrypt, are verified as well. Where a hash comes from does not
// matter: what verifying it costs is bounded before anything is computed.
//
// It does not count who failed how often: limits for those who try are the server's.
package password

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	// maxPassword is how long a password is at most, in bytes.
	maxPassword = 1024
	// maxBcryptCost bounds the time that bcrypt takes: about a second. Argo CD writes 10.
	maxBcryptCost = 14
	// maxAtOnce is how many hashes are computed at once; all others wait. Together they take 256 MiB at most.
	maxAtOnce = 4
)

// own are the parameters of new hashes: those that OWASP gives for argon2id with little memory, as a hub is small.
var own = argon{memory: 19 * 1024, passes: 2, threads: 1}

const (
	saltBytes = 16
	sumBytes  = 32
)

var turns = make(chan struct{}, maxAtOnce)

// Hash is a hash that passwords are verified against. It prints as [redacted], as hashes can be guessed at. The zero
// value is that of nobody: it takes as long as one of New, and no password fits.
type Hash struct {
	// of is behind a pointer, so that a struct that holds a Hash does not print it either.
	of *content
}

type content struct {
	text string
	// argon is nil for bcrypt.
	argon *argon
}

// New hashes a password.
func New(password string) (Hash, error) {
	if err := acceptable(password); err != nil {
		return Hash{}, err
	}
	a := own
	a.salt = make([]byte, saltBytes)
	if _, err := rand.Read(a.salt); err != nil {
		return Hash{}, fmt.Errorf("cannot make a salt: %w", err)
	}
	a.sum = make([]byte, sumBytes)
	a.sum = a.of(password)
	return Hash{&content{text: a.String(), argon: &a}}, nil
}

// Renew hashes another password in the same way: with bcrypt where that was
// used, which is all that Argo CD knows, and else as New does.
func (h Hash) Renew(password string) (Hash, error) {
	if h.of == nil || h.of.argon != nil {
		return New(password)
	}
	if err := acceptable(password); err != nil {
		return Hash{}, err
	}
	turns <- struct{}{}
	defer func() { <-turns }()
	text, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	if err != nil {
		return Hash{}, fmt.Errorf("cannot hash with bcrypt, as the password before was: %w", err)
	}
	return Hash{&content{text: string(text)}}, nil
}

// Parse reads a hash: the PHC string of argon2id ($argon2id$v=19$m=…,t=…,p=…$salt$sum), or bcrypt ($2a$, $2b$ or $2y$). An error does not
// tell any of it.
func Parse(text string) (Hash, error) {
	switch {
	case strings.HasPrefix(text, "$argon2id$"):
		a, err := parseArgon(text)
		if err != nil {
			return Hash{}, err
		}
		return Hash{&content{text: text, argon: &a}}, nil
	case strings.HasPrefix(text, "$2a$"), strings.HasPrefix(text, "$2b$"), strings.HasPrefix(text, "$2y$"):
		cost, err := bcrypt.Cost([]byte(text))
		if err != nil || len(text) != 60 {
			return Hash{}, errors.New("it is no complete hash of bcrypt, which has 60 characters")
		}
		if cost > maxBcryptCost {
			return Hash{}, fmt.Errorf("its cost for bcrypt is %d, and may be %d: hash the password again", cost, maxBcryptCost)
		}
		return Hash{&content{text: text}}, nil
	default:
		return Hash{}, errors.New("it is no hash of argon2id or bcrypt, which begin with $argon2id$ and $2a$")
	}
}

// Verify reports whether a password is the one that was hashed. It takes as long for a wrong one, and waits while too many
// others are verified.
func (h Hash) Verify(password string) bool {
	if acceptable(password) != nil {
		return false
	}
	if h.of == nil {
		nobody := own
		nobody.salt, nobody.sum = make([]byte, saltBytes), make([]byte, sumBytes)
		nobody.of(password)
		return false
	}
	if a := h.of.argon; a != nil {
		return subtle.ConstantTimeCompare(a.of(password), a.sum) == 1
	}
	turns <- struct{}{}
	defer func() { <-turns }()
	return bcrypt.CompareHashAndPassword([]byte(h.of.text), []byte(password)) == nil
}

// Text is what Parse reads, to be kept in a Secret.
func (h Hash) Text() string {
	if h.of == nil {
		return ""
	}
	return h.of.text
}

// IsZero reports whether it is that of nobody.
func (h Hash) IsZero() bool { return h.of == nil }

// String does not tell it.
func (Hash) String() string { return gitops.Redacted }

// GoString does not tell it.
func (Hash) GoString() string { return gitops.Redacted }

// LogValue does not tell it.
func (Hash) LogValue() slog.Value { return slog.StringValue(gitops.Redacted) }

// MarshalText does not tell it.
func (Hash) MarshalText() ([]byte, error) { return []byte(gitops.Redacted), nil }

// Generate makes a password for one use: 125 bits, in letters and digits that are not taken for one another. It is shown once; what is
// kept is its hash.
func Generate() string {
	const group = 5
	text := strings.ToLower(rand.Text())
	var groups []string
	for len(text) >= group {
		groups = append(groups, text[:group])
		text = text[group:]
	}
	return strings.Join(groups, "-")
}

func acceptable(password string) error {
	if password == "" {
		return errors.New("a password cannot be empty")
	}
	if len(password) > maxPassword {
		return fmt.Errorf("a password has at most %d bytes", maxPassword)
	}
	return nil
}

// of computes the sum of a password, as long as its own.
func (a argon) of(password string) []byte {
	turns <- struct{}{}
	defer func() { <-turns }()
	return argon2.IDKey([]byte(password), a.salt, a.passes, a.memory, a.threads, uint32(len(a.sum))) //nolint:gosec // at most maxBytes
}
