package oidc

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/seal"
	"github.com/causeway-gitops/causeway/internal/cache"
)

// Bounds of what strangers send.
const (
	maxToken  = 16 << 10
	maxSealed = 4 << 10
	// usedSize bounds what is remembered of attempts that were used.
	usedSize  = 4 << 20
	usedEntry = 128
)

// Vault seals attempts, so that a browser can keep them, and opens each once.
type Vault struct {
	now func() time.Time

	sealer *seal.Sealer

	mu   sync.Mutex
	used *cache.LRU[string, struct{}]
}

// NewVault derives its key from that of the installation: what one replica
// has sealed, another one opens.
func NewVault(key []byte, now func() time.Time) (*Vault, error) {
	sealer, err := seal.New(key, "causeway: sign-in attempts")
	return &Vault{now: now, sealer: sealer, used: cache.New[string, struct{}](usedSize)}, err
}

// Rekey derives from another key from now on. What was sealed before is not opened.
func (v *Vault) Rekey(key []byte) error { return v.sealer.Rekey(key) }

// Seal makes a text that says nothing to whoever has it.
func (v *Vault) Seal(a *Attempt) (string, error) {
	text, err := json.Marshal(a)
	if err != nil {
		return "", fmt.Errorf("cannot seal a sign-in: %w", err)
	}
	return v.sealer.Seal(text, ""), nil
}

// Open opens what was sealed, for an answer with a state. Each attempt counts once.
func (v *Vault) Open(text, state string) (*Attempt, error) {
	if len(text) > maxSealed {
		return nil, ErrRefused
	}
	plain, err := v.sealer.Open(text, "")
	if err != nil {
		return nil, fmt.Errorf("%w: the sign-in did not begin here", ErrRefused)
	}
	a := &Attempt{}
	if err := json.Unmarshal(plain, a); err != nil {
		return nil, ErrRefused
	}
	if !v.now().Before(a.Until) {
		return nil, fmt.Errorf("%w: it took longer than %s", ErrRefused, AttemptLife)
	}
	if subtle.ConstantTimeCompare([]byte(state), []byte(a.State)) != 1 {
		return nil, fmt.Errorf("%w: it is one to another sign-in (state)", ErrRefused)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, was := v.used.Get(a.State); was {
		return nil, fmt.Errorf("%w: it was used before", ErrRefused)
	}
	v.used.Put(a.State, struct{}{}, usedEntry)
	return a, nil
}

// issuerOf reads who a token says that it is from. Nothing is checked.
func issuerOf(text string) string {
	parts := strings.Split(text, ".")
	if len(text) > maxToken || len(parts) != 3 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var claims struct {
		Issuer string `json:"iss"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return ""
	}
	return claims.Issuer
}
