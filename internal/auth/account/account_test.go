package account_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/bcrypt"

	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
)

// hash is a cheap one, as Argo CD makes them.
func hash(t testing.TB, secret string) []byte {
	t.Helper()
	h, err := bcrypt.GenerateFromPassword([]byte(secret), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// plain is an account without its hash, which does not compare.
type plain struct {
	Enabled      bool
	Capabilities string
	Password     bool
	Changed      int64
	Tokens       string
}

func plainly(accounts account.Accounts) map[string]plain {
	out := map[string]plain{}
	for name, a := range accounts {
		p := plain{Enabled: a.Enabled, Capabilities: fmt.Sprint(a.Capabilities), Password: !a.Password.IsZero()}
		if !a.PasswordChanged.IsZero() {
			p.Changed = a.PasswordChanged.Unix()
		}
		for _, token := range a.Tokens {
			p.Tokens += fmt.Sprintf("%s@%d", token.ID, token.IssuedAt.Unix())
			if !token.ExpiresAt.IsZero() {
				p.Tokens += fmt.Sprintf("-%d", token.ExpiresAt.Unix())
			}
			p.Tokens += " "
		}
		if a.Name != name {
			p.Capabilities = "named " + a.Name
		}
		out[name] = p
	}
	return out
}

func TestParse(t *testing.T) {
	h := string(hash(t, "x"))
	cases := map[string]struct {
		reason         string
		config, secret map[string]string
		want           map[string]plain
		problem        string
	}{
		"Nothing": {"admin is always there", nil, nil, map[string]plain{"admin": {Enabled: true, Capabilities: "[login]"}}, ""},
		"Admin": {
			"admin has keys of its own", map[string]string{"admin.enabled": "false", "url": "x"},
			map[string]string{"admin.password": h, "admin.passwordMtime": "2024-01-02T03:04:05Z", "admin.tokens": `[{"id":"a","iat":5}]`, "accounts.admin.password": "no"},
			map[string]plain{"admin": {Capabilities: "[login]", Password: true, Changed: 1704164645, Tokens: "a@5 "}}, "",
		},
		"AdminAsAccount": {
			"and those of an account", map[string]string{"accounts.admin": "apiKey, login", "accounts.admin.enabled": "false"}, nil,
			map[string]plain{"admin": {Capabilities: "[login apiKey]"}}, "",
		},
		"Accounts": {
			"accounts with all they may have", map[string]string{"accounts.ci": "apiKey", "accounts.ann": " login ,apiKey,, login", "accounts.ann.enabled": "false"},
			map[string]string{"accounts.ci.tokens": `[{"id":"a","iat":5},{"id":"b","iat":6,"exp":9}]`, "accounts.ann.password": h, "accounts.ann.passwordMtime": "1970-01-01T01:00:10+01:00", "accounts.gone.password": h},
			map[string]plain{
				"admin": {Enabled: true, Capabilities: "[login]"},
				"ann":   {Capabilities: "[login apiKey]", Password: true, Changed: 10},
				"ci":    {Enabled: true, Capabilities: "[apiKey]", Tokens: "a@5 b@6-9 "},
			}, "",
		},
		"Empty": {
			"empty values are none", map[string]string{"accounts.ann": ""}, map[string]string{"accounts.ann.password": "", "accounts.ann.tokens": "", "admin.tokens": "null"},
			map[string]plain{"admin": {Enabled: true, Capabilities: "[login]"}, "ann": {Enabled: true, Capabilities: "[]"}}, "",
		},
		"Enabled": {
			"what is neither true nor false disables", map[string]string{"admin.enabled": "hunter2", "accounts.ann": "login", "accounts.ann.enabled": "hunter2"}, nil,
			map[string]plain{"admin": {Capabilities: "[login]"}, "ann": {Capabilities: "[login]"}},
			"admin.enabled of argocd-cm is not true or false: account admin is disabled until it is\naccounts.ann.enabled of argocd-cm is not true",
		},
		"EnabledTwice": {
			"whatever another key says", map[string]string{"admin.enabled": "hunter2", "accounts.admin.enabled": "true"}, nil,
			map[string]plain{"admin": {Capabilities: "[login]"}}, "admin.enabled of argocd-cm is not true or false",
		},
		"Capability": {
			"an unknown capability is none", map[string]string{"accounts.ann": "login, hunter2"}, nil,
			map[string]plain{"admin": {Enabled: true, Capabilities: "[login]"}, "ann": {Enabled: true, Capabilities: "[login]"}}, "accounts.ann of argocd-cm has a capability",
		},
		"Dots": {
			"names have no dots", map[string]string{"accounts.a.b": "login", "accounts.": "login", "accounts.a.b.enabled": "true"}, nil,
			map[string]plain{"admin": {Enabled: true, Capabilities: "[login]"}}, "accounts. of argocd-cm is none of",
		},
		"Password": {
			"a password that is not hashed", map[string]string{"accounts.ann": "login"}, map[string]string{"accounts.ann.password": "hunter2"},
			map[string]plain{"admin": {Enabled: true, Capabilities: "[login]"}, "ann": {Capabilities: "[login]"}}, "accounts.ann.password of argocd-secret is not a hash (it is no hash of argon2id or bcrypt",
		},
		"Changed": {
			"what voids sessions has to be known", nil, map[string]string{"admin.passwordMtime": "hunter2"},
			map[string]plain{"admin": {Capabilities: "[login]"}}, "admin.passwordMtime of argocd-secret is not a time such as",
		},
		"Tokens": {
			"tokens that cannot be read", nil, map[string]string{"admin.tokens": `[{"id":"hunter2","iat":"hunter2"}]`},
			map[string]plain{"admin": {Capabilities: "[login]"}}, "admin.tokens of argocd-secret is not a list such as",
		},
		"TokensTooLong": {
			"or are too many", nil, map[string]string{"admin.tokens": "[" + strings.Repeat(" ", 1<<20) + "]"},
			map[string]plain{"admin": {Capabilities: "[login]"}}, "admin.tokens of argocd-secret is not a list such as",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			accounts, err := account.Parse(tc.config, bytesOf(tc.secret))
			if diff := cmp.Diff(tc.want, plainly(accounts)); diff != "" {
				t.Errorf("%s:\n%s", tc.reason, diff)
			}
			if (err != nil) != (tc.problem != "") || err != nil && !strings.HasPrefix(err.Error(), tc.problem) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.problem)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error tells a value: %v", err)
			}
		})
	}
}

func bytesOf(texts map[string]string) map[string][]byte {
	out := map[string][]byte{}
	for key, text := range texts {
		out[key] = []byte(text)
	}
	return out
}

// somebody are accounts of every kind, all with the password "right".
func somebody(t testing.TB) account.Accounts {
	t.Helper()
	own, err := password.New("right")
	if err != nil {
		t.Fatal(err)
	}
	argo := hash(t, "right")
	accounts, err := account.Parse(
		map[string]string{
			"accounts.ann": "login, apiKey", "accounts.off": "login, apiKey", "accounts.off.enabled": "false", "accounts.ci": "apiKey", "accounts.new": "login",
		},
		map[string][]byte{
			"admin.password": []byte(own.Text()), "accounts.ann.password": argo, "accounts.off.password": argo, "accounts.ci.password": argo,
			"accounts.ann.passwordMtime": []byte("1970-01-01T00:16:40Z"), // 1000
			"accounts.ann.tokens":        []byte(`[{"id":"old","iat":999},{"id":"good","iat":1000},{"id":"short","iat":1000,"exp":2000},{"id":"","iat":1000}]`),
			"accounts.off.tokens":        []byte(`[{"id":"good","iat":1000}]`),
			"admin.tokens":               []byte(`[{"id":"good","iat":1000}]`),
		})
	if err != nil {
		t.Fatal(err)
	}
	return accounts
}

func TestSignIn(t *testing.T) {
	accounts := somebody(t)
	cases := map[string]struct{ reason, name, secret, want string }{
		"Own":      {"a hash of the engine", "admin", "right", ""},
		"ArgoCD":   {"a hash of Argo CD", "ann", "right", ""},
		"Wrong":    {"another password", "ann", "wrong", account.ErrCredentials.Error()},
		"Unknown":  {"nobody", "bob", "right", account.ErrCredentials.Error()},
		"None":     {"an account without a password", "new", "right", account.ErrCredentials.Error()},
		"Empty":    {"no password", "new", "", account.ErrCredentials.Error()},
		"Off":      {"a disabled one", "off", "right", "account off is disabled: accounts.off.enabled of argocd-cm"},
		"OffWrong": {"of which only its user is told", "off", "wrong", account.ErrCredentials.Error()},
		"KeyOnly":  {"one for API keys", "ci", "right", "account ci is not for that: add login to accounts.ci of argocd-cm"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a, err := accounts.SignIn(tc.name, tc.secret)
			if text(err) != tc.want || err == nil && a.Name != tc.name || err != nil && a.Name != "" {
				t.Errorf("%s: got %q, %v", tc.reason, a.Name, err)
			}
		})
	}
	broken, err := account.Parse(nil, map[string][]byte{"admin.password": hash(t, "right"), "admin.tokens": []byte("x")})
	if err == nil {
		t.Fatal("tokens that are no list are read")
	}
	if _, err := broken.SignIn("admin", "right"); text(err) != "account admin is disabled: admin.tokens of argocd-secret cannot be read" {
		t.Errorf("an account that is not as it was written: %v", err)
	}
	if _, err := (account.Accounts{}).SignIn("admin", "right"); !errors.Is(err, account.ErrCredentials) {
		t.Errorf("without any account: %v", err)
	}
}

func TestSession(t *testing.T) {
	accounts := somebody(t)
	cases := map[string]struct {
		reason, name string
		issued       int64
		want         string
	}{
		"Fresh":    {"issued when the password was set", "ann", 1000, ""},
		"Before":   {"issued before", "ann", 999, "the password of account ann was changed since: it counts no longer"},
		"NotKnown": {"where that is not known, all count", "admin", 1, ""},
		"Gone":     {"an account that was deleted", "bob", 1000, "there is no account bob: it counts no longer"},
		"Off":      {"one that was disabled", "off", 1000, "account off is disabled: accounts.off.enabled of argocd-cm: it counts no longer"},
		"KeyOnly":  {"one that cannot sign in any more", "ci", 1000, "account ci is not for that: add login to accounts.ci of argocd-cm: it counts no longer"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := accounts.Session(tc.name, time.Unix(tc.issued, 0))
			if text(err) != tc.want || err != nil && !errors.Is(err, account.ErrRevoked) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

func TestKey(t *testing.T) {
	accounts := somebody(t)
	cases := map[string]struct {
		reason, name, id string
		now              int64
		want             string
	}{
		"Listed":   {"a token that is listed", "ann", "good", 9000, ""},
		"Unlisted": {"one that was deleted", "ann", "gone", 9000, "account ann does not list the token: it counts no longer"},
		"NoID":     {"none is found by no id", "ann", "", 9000, "account ann does not list the token: it counts no longer"},
		"Before":   {"until it expires", "ann", "short", 1999, ""},
		"Expired":  {"it counts", "ann", "short", 2000, "the token of account ann expired at 1970-01-01T00:33:20Z: it counts no longer"},
		"Changed":  {"a new password voids it", "ann", "old", 9000, "the password of account ann was changed since the token was made: it counts no longer"},
		"Gone":     {"as does the account's end", "bob", "good", 9000, "there is no account bob: it counts no longer"},
		"Off":      {"and its being disabled", "off", "good", 9000, "account off is disabled: accounts.off.enabled of argocd-cm: it counts no longer"},
		"Admin":    {"admin has no API keys unless it is given them", "admin", "good", 9000, "account admin is not for that: add apiKey to accounts.admin of argocd-cm: it counts no longer"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := accounts.Key(tc.name, tc.id, time.Unix(tc.now, 0))
			if text(err) != tc.want || err != nil && !errors.Is(err, account.ErrRevoked) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestSubject(t *testing.T) {
	for claim, want := range map[string]struct {
		name string
		c    account.Capability
	}{
		"ann": {"ann", account.APIKey}, "ann:apiKey": {"ann", account.APIKey}, "ann:login": {"ann", account.Login}, "ann:x": {"ann", account.APIKey},
		"ann:login:x": {"ann", account.Login}, "": {"", account.APIKey},
	} {
		if name, c := account.Subject(claim); name != want.name || c != want.c {
			t.Errorf("%q is %q for %q", claim, name, c)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("accounts.ann", "login", "accounts.ann.tokens", `[{"id":"a","iat":1,"exp":-1}]`)
	f.Add("accounts.admin.enabled", "t", "admin.passwordMtime", "2024-01-02T03:04:05Z")
	f.Fuzz(func(t *testing.T, key, value, secretKey, secretValue string) {
		accounts, err := account.Parse(map[string]string{key: value}, map[string][]byte{secretKey: []byte(secretValue)})
		if _, ok := accounts[account.Admin]; !ok {
			t.Error("admin is not there")
		}
		for name, a := range accounts {
			if a.Name != name || strings.Contains(name, ".") {
				t.Errorf("%q is called %q", a.Name, name)
			}
		}
		if err != nil && len(secretValue) > 40 && strings.Contains(err.Error(), secretValue) {
			t.Errorf("the error tells a value: %v", err)
		}
	})
}
