package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/password"
)

// maxTokens is how many bytes the tokens of one account have at most.
const maxTokens = 1 << 20

// parser makes accounts, and notes which keys it cannot read.
type parser struct {
	accounts Accounts
	problems []error
}

// Parse reads accounts from the data of argocd-cm and argocd-secret. These keys count:
//
//	argocd-cm      accounts.<name>          apiKey, login
//	               accounts.<name>.enabled  true or false; true if absent
//	               admin.enabled            the same for admin, which has the capability login
//	argocd-secret  accounts.<name>.password, admin.password            a hash: password.Parse
//	               accounts.<name>.passwordMtime, admin.passwordMtime  when it was set (RFC 3339)
//	               accounts.<name>.tokens, admin.tokens                a list of {id, iat, exp} in JSON, times in seconds since 1970
//
// An error names each key that cannot be read, and never a value. The accounts are good all the same: one of whose
// keys cannot be read is disabled.
func Parse(config map[string]string, secret map[string][]byte) (Accounts, error) {
	p := parser{accounts: Accounts{Admin: {Name: Admin, Enabled: true, Capabilities: []Capability{Login}}}}
	if text, ok := config[v1alpha1.SettingAdmin]; ok {
		p.enabled(Admin, v1alpha1.SettingAdmin, text)
	}
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if rest, ok := strings.CutPrefix(key, v1alpha1.SettingAccounts); ok {
			p.declared(key, rest, config[key])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.accounts)) {
		prefix := "accounts." + name + "."
		if name == Admin {
			prefix = "admin."
		}
		p.kept(name, prefix, secret)
	}
	return p.accounts, errors.Join(p.problems...)
}

// declared reads a key of the ConfigMap without its prefix: <name> or <name>.enabled.
func (p *parser) declared(key, rest, text string) {
	name, suffix, within := strings.Cut(rest, ".")
	switch {
	case name == "" || within && suffix != "enabled":
		p.problems = append(p.problems, fmt.Errorf("%s of %s is none of accounts.<name> and accounts.<name>.enabled (names have no dots)", key, ConfigMap))
	case within:
		p.enabled(name, key, text)
	default:
		p.capabilities(name, key, text)
	}
}

// change changes an account, which comes into being by being mentioned.
func (p *parser) change(name string, change func(*Account)) {
	a, ok := p.accounts[name]
	if !ok {
		a = Account{Name: name, Enabled: true}
	}
	change(&a)
	p.accounts[name] = a
}

func (p *parser) enabled(name, key, text string) {
	enabled, err := strconv.ParseBool(text)
	if err != nil {
		p.disable(name, key+" of "+ConfigMap, "true or false")
		return
	}
	p.change(name, func(a *Account) { a.Enabled = enabled && a.unread == "" })
}

func (p *parser) capabilities(name, key, text string) {
	p.change(name, func(a *Account) {
		for word := range strings.SplitSeq(text, ",") {
			switch c := Capability(strings.TrimSpace(word)); {
			case c == "" || a.Can(c):
			case c == Login || c == APIKey:
				a.Capabilities = append(a.Capabilities, c)
			default:
				p.problems = append(p.problems, fmt.Errorf("%s of %s has a capability that is none of login and apiKey", key, ConfigMap))
			}
		}
	})
}

// kept reads what the Secret has of an account.
func (p *parser) kept(name, prefix string, secret map[string][]byte) {
	if text := secret[prefix+"password"]; len(text) > 0 {
		hash, err := password.Parse(string(text))
		if err != nil {
			p.disable(name, prefix+"password of "+Secret, "a hash ("+err.Error()+")")
		}
		p.change(name, func(a *Account) { a.Password = hash })
	}
	if text := secret[prefix+"passwordMtime"]; len(text) > 0 {
		changed, err := time.Parse(time.RFC3339, string(text))
		if err != nil {
			p.disable(name, prefix+"passwordMtime of "+Secret, "a time such as 2006-01-02T15:04:05Z")
		}
		p.change(name, func(a *Account) { a.PasswordChanged = changed })
	}
	if text := secret[prefix+"tokens"]; len(text) > 0 {
		tokens, err := parseTokens(text)
		if err != nil {
			p.disable(name, prefix+"tokens of "+Secret, `a list such as [{"id":"a","iat":1700000000}]`)
		}
		p.change(name, func(a *Account) { a.Tokens = tokens })
	}
}

// disable notes a key that is not what it has to be.
func (p *parser) disable(name, key, form string) {
	p.problems = append(p.problems, fmt.Errorf("%s is not %s: account %s is disabled until it is", key, form, name))
	p.change(name, func(a *Account) { a.Enabled, a.unread = false, key })
}

// parseTokens reads a list of tokens. What json says of an error is not handed on, as it may hold a part of it.
func parseTokens(text []byte) ([]Token, error) {
	var list []struct {
		ID        string `json:"id"`
		IssuedAt  int64  `json:"iat"`
		ExpiresAt int64  `json:"exp"`
	}
	if len(text) > maxTokens || json.Unmarshal(text, &list) != nil {
		return nil, errors.New("it is no list of tokens")
	}
	var tokens []Token
	for _, t := range list {
		token := Token{ID: t.ID, IssuedAt: time.Unix(t.IssuedAt, 0)}
		if t.ExpiresAt != 0 {
			token.ExpiresAt = time.Unix(t.ExpiresAt, 0)
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}
