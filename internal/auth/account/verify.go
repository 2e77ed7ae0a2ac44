package account

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrCredentials is said of a name that is not known as of a password that is wrong.
var ErrCredentials = errors.New("the user or the password is wrong")

// ErrRevoked is said of a session or a token that counted once: who has it signs in again, or has another one made.
var ErrRevoked = errors.New("it counts no longer")

// SignIn verifies a password. An error is ErrCredentials, or says to who has the right password why it does not help.
// It takes about as long for a name that is not known.
func (a Accounts) SignIn(name, secret string) (Account, error) {
	account, ok := a[name]
	if !ok {
		a[Admin].Password.Verify(secret)
		return Account{}, ErrCredentials
	}
	if !account.Password.Verify(secret) {
		return Account{}, ErrCredentials
	}
	if err := account.may(Login); err != nil {
		return Account{}, err
	}
	return account, nil
}

// Session reports whether what was issued to somebody who signed in still counts: the account may still sign in, and its password
// was not changed since. The error wraps ErrRevoked if not.
func (a Accounts) Session(name string, issued time.Time) (Account, error) {
	account, ok := a[name]
	if !ok {
		return Account{}, fmt.Errorf("there is no account %s: %w", name, ErrRevoked)
	}
	if err := account.may(Login); err != nil {
		return Account{}, fmt.Errorf("%w: %w", err, ErrRevoked)
	}
	if issued.Before(account.PasswordChanged) {
		return Account{}, fmt.Errorf("the password of account %s was changed since: %w", name, ErrRevoked)
	}
	return account, nil
}

// Key reports whether the token of an API key still counts: it is listed, has not expired, and the password was not changed
// since it was made. The error wraps ErrRevoked if not. The id is the claim jti of a token whose signature was verified.
func (a Accounts) Key(name, id string, now time.Time) (Account, error) {
	account, ok := a[name]
	if !ok {
		return Account{}, fmt.Errorf("there is no account %s: %w", name, ErrRevoked)
	}
	if err := account.may(APIKey); err != nil {
		return Account{}, fmt.Errorf("%w: %w", err, ErrRevoked)
	}
	for _, token := range account.Tokens {
		if id == "" || token.ID != id {
			continue
		}
		if !token.ExpiresAt.IsZero() && !now.Before(token.ExpiresAt) {
			return Account{}, fmt.Errorf("the token of account %s expired at %s: %w", name, token.ExpiresAt.UTC().Format(time.RFC3339), ErrRevoked)
		}
		if token.IssuedAt.Before(account.PasswordChanged) {
			return Account{}, fmt.Errorf("the password of account %s was changed since the token was made: %w", name, ErrRevoked)
		}
		return account, nil
	}
	return Account{}, fmt.Errorf("account %s does not list the token: %w", name, ErrRevoked)
}

// Subject reads the claim sub of a token that Argo CD issued: the name of an account, and behind a colon what the token is
// for, an API key if nothing is there.
func Subject(claim string) (name string, c Capability) {
	name, rest, _ := strings.Cut(claim, ":")
	if purpose, _, _ := strings.Cut(rest, ":"); Capability(purpose) == Login {
		return name, Login
	}
	return name, APIKey
}

// may tells why an account cannot be used for something.
func (a Account) may(c Capability) error {
	switch {
	case a.unread != "":
		return fmt.Errorf("account %s is disabled: %s cannot be read", a.Name, a.unread)
	case !a.Enabled && a.Name == Admin:
		return fmt.Errorf("account %s is disabled: admin.enabled of %s", a.Name, ConfigMap)
	case !a.Enabled:
		return fmt.Errorf("account %s is disabled: accounts.%s.enabled of %s", a.Name, a.Name, ConfigMap)
	case !a.Can(c):
		return fmt.Errorf("account %s is not for that: add %s to accounts.%s of %s", a.Name, c, a.Name, ConfigMap)
	default:
		return nil
	}
}
