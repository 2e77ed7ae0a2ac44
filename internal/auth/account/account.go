// Package account knows Argo CD's local accounts, as the ConfigMap argocd-cm declares them and the Secret argocd-secret
// keeps their passwords and tokens.
//
// It works on the data of both and reads nothing itself. It neither signs nor verifies tokens, and does not count who failed how
// often: it answers whether a password is right, and whether a token that somebody else verified still counts.
package account

import (
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/password"
)

// Where accounts are.
const (
	ConfigMap = "argocd-cm"
	Secret    = "argocd-secret"
)

// Admin is the account that is always there.
const Admin = "admin"

// AdminPassword is the key of its password in Secret.
const AdminPassword = "admin.password"

// Capability is what an account is for.
type Capability string

const (
	// Login is to sign in with a password.
	Login Capability = "login"
	// APIKey is to have tokens that are made once, and listed.
	APIKey Capability = "apiKey"
)

// Account is a local account.
type Account struct {
	Name string
	// Enabled is false for one whose keys cannot be read, too.
	Enabled      bool
	Capabilities []Capability
	// Password is that of nobody where none is set.
	Password password.Hash
	// PasswordChanged voids what was issued before; zero if it is not known.
	PasswordChanged time.Time
	// Tokens are those made for API keys.
	Tokens []Token
	// unread is the key for which the account is disabled, because it cannot be read.
	unread string
}

// Token says of a token that it counts; it does not hold it.
type Token struct {
	// ID is the claim jti.
	ID       string
	IssuedAt time.Time
	// ExpiresAt is zero for a token that does not expire.
	ExpiresAt time.Time
}

// Can reports whether an account has a capability.
func (a Account) Can(c Capability) bool { return slices.Contains(a.Capabilities, c) }

// Accounts are the local accounts by name.
type Accounts map[string]Account
