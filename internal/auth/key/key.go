// Package key has the API keys that people make for programs: whose they are,
// what they are for, and how a text proves one. It keeps none of them, and does
// not know whether their owners are still there.
package key

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
)

// Prefix of all keys: scanners of repositories go by it, and no token of
// anything else begins with it.
const Prefix = "causeway_"

// Bounds.
const (
	// MaxDays and Days are how long a key lasts, at most and if nobody says.
	MaxDays = 365
	Days    = 90
	// MaxName bounds a name, in bytes.
	MaxName = 63

	idLength = 16
	maxText  = 256
)

// Key is one, without what proves it.
type Key struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Owner   Owner     `json:"owner"`
	Scope   Scope     `json:"scope"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	// Hash is SHA-256 of the secret part, which is random and as long: there is
	// nothing to guess, so that nothing slow is needed.
	Hash string `json:"hash"`

	limit auth.Limit
}

// Owner is who made a key, as they were known the last time.
type Owner struct {
	Name   string              `json:"name"`
	Via    auth.Via            `json:"via"`
	Email  string              `json:"email,omitempty"`
	Groups []string            `json:"groups,omitempty"`
	Claims map[string]any      `json:"claims,omitempty"`
	Extra  map[string][]string `json:"extra,omitempty"`
	// Issuer is who vouched for them; empty where that is the installation or Kubernetes.
	Issuer string `json:"issuer,omitempty"`
	// Sub is who they are there; empty for keys from before it was kept, whose
	// claims say it.
	Sub string `json:"sub,omitempty"`
	// Known is when they were known like that.
	Known time.Time `json:"known"`
}

// OwnerOf is somebody as they are known at a time.
func OwnerOf(u *auth.User, issuer string, at time.Time) Owner {
	return Owner{Name: u.Name, Via: u.Via, Email: u.Email, Groups: u.Groups, Claims: u.Claims, Extra: u.Extra, Issuer: issuer, Sub: u.Sub, Known: at}
}

// Is reports whether an owner is somebody, whatever name they go by now.
func (o *Owner) Is(u *auth.User) bool {
	if u == nil {
		return false
	}
	owner := &auth.User{Name: o.Name, Via: o.Via, Claims: o.Claims, Issuer: o.Issuer, Sub: o.Sub}
	if u.Issuer == "" {
		owner.Issuer = "" // the session does not say who vouched for them
	}
	return u.Person() == owner.Person()
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9 ._-]*[A-Za-z0-9])?$`)

// CheckName tells what is wrong with the name of a key.
func CheckName(name string) error {
	if len(name) > MaxName || !nameForm.MatchString(name) {
		return fmt.Errorf("the name %.70q of a key is none: use up to %d letters, digits, spaces, dots, dashes and underscores, with a letter or digit first and last", name, MaxName)
	}
	return nil
}

// New makes a key, and the text that proves it, which is nowhere else.
func New(name string, owner Owner, scope Scope, now time.Time, life time.Duration) (*Key, string) {
	id, secret := strings.ToLower(rand.Text()[:idLength]), rand.Text()+rand.Text()
	now = now.UTC().Truncate(time.Second) // as times of passwords are
	k := &Key{ID: id, Name: name, Owner: owner, Scope: scope, Created: now, Expires: now.Add(life), Hash: hash(secret), limit: scope.Limit()}
	return k, Prefix + id + "_" + secret
}

// Read reads a key as it is kept.
func Read(text []byte) (*Key, error) {
	k := &Key{}
	if err := json.Unmarshal(text, k); err != nil {
		return nil, errors.New("it is no API key") // what json says of it may hold a part of it
	}
	k.limit = k.Scope.Limit()
	return k, nil
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Is reports whether a text is meant to be a key.
func Is(text string) bool { return strings.HasPrefix(text, Prefix) }

// Split takes a text apart; not ok for what is no key.
func Split(text string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(text, Prefix)
	if !ok || len(text) > maxText {
		return "", "", false
	}
	id, secret, ok = strings.Cut(rest, "_")
	return id, secret, ok && len(id) == idLength && secret != ""
}

// Proves reports whether a secret is the key's.
func (k *Key) Proves(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(hash(secret)), []byte(k.Hash)) == 1
}

// User is the owner with what the key lets them do.
func (k *Key) User() *auth.User {
	o := &k.Owner
	return &auth.User{
		Name: o.Name, Via: o.Via, Email: o.Email, Groups: o.Groups, Claims: maps.Clone(o.Claims), Extra: o.Extra, Issuer: o.Issuer, Sub: o.Sub,
		Session: k.ID, Key: k.Name, Limit: k.limit, Program: true,
	}
}
