package secrets

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Accounts are the installation's own, as argocd-cm and argocd-secret have
// them, and the tokens of projects' roles.
type Accounts struct {
	secret   client.Reader // asks the API server: the Secret is none that the engine caches
	name     types.NamespacedName
	settings func() map[string]string
	projects Projects
	now      func() time.Time
	// started is when first was given.
	started time.Time

	mu sync.Mutex
	// first is the password of the admin that this start was given; that of
	// nobody where it was given none, or admin was given another one since.
	first password.Hash
	known map[string][]byte
	at    time.Time // when that was read; zero before the first time
	until time.Time
}

// Projects have the roles that tokens are of.
type Projects interface {
	// Project is nil where there is none of the name.
	Project(name string) *v1alpha1.AppProject
}

// AccountsOptions are what accounts go by.
type AccountsOptions struct {
	// Reader asks the API server: the Secret is none that the engine caches.
	Reader    client.Reader
	Namespace string
	// Settings are what argocd-cm says now.
	Settings func() map[string]string
	Projects Projects
	// First is a password of the admin that counts until there is another one.
	First password.Hash
}

// NewAccounts are those of an installation that starts now.
func NewAccounts(o AccountsOptions) *Accounts {
	return &Accounts{
		secret:   o.Reader,
		name:     types.NamespacedName{Namespace: o.Namespace, Name: account.Secret},
		settings: o.Settings,
		projects: o.Projects,
		first:    o.First,
		started:  time.Now(),
		now:      time.Now,
	}
}

// all reads the accounts; what cannot be read of one disables it.
func (a *Accounts) all(ctx context.Context) (account.Accounts, error) {
	data, _, err := a.data(ctx)
	if err != nil {
		return nil, err
	}
	all, _ := account.Parse(a.settings(), data) // who cannot be read is told when they sign in
	return all, nil
}

// data of the Secret and when it was read, believed for seconds: each request
// asks. While the API server is away it is as it was.
func (a *Accounts) data(ctx context.Context) (map[string][]byte, time.Time, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now().Before(a.until) {
		return a.known, a.at, nil
	}
	// Others wait for the answer, so it is none of one request alone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
	defer cancel()
	at, secret := a.now(), &corev1.Secret{}
	err := a.secret.Get(ctx, a.name, secret)
	if client.IgnoreNotFound(err) != nil {
		if !a.at.IsZero() {
			a.until = a.now().Add(believedFor)
			return a.known, a.at, nil
		}
		return nil, time.Time{}, gitops.Problemf(gitops.Unreachable, "cannot read the accounts of Secret %s: %w", a.name.Name, err)
	}
	if !a.first.IsZero() && a.another(secret.Data) {
		a.first = password.Hash{}
	}
	a.known, a.at, a.until = secret.Data, at, a.now().Add(believedFor)
	return a.known, a.at, nil
}

// another reports whether admin was given another password than the first, with
// the lock held.
func (a *Accounts) another(data map[string][]byte) bool {
	const key = account.AdminPassword
	if len(data[key]) == 0 {
		return false
	}
	all, _ := account.Parse(nil, data)
	return all[account.Admin].PasswordChanged.After(a.started) || !a.at.IsZero() && !bytes.Equal(data[key], a.known[key])
}

// hasFirst reports whether there is a password of this start.
func (a *Accounts) hasFirst() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.first.IsZero()
}

// isFirst reports whether a password is that of this start.
func (a *Accounts) isFirst(secret string) bool {
	a.mu.Lock()
	first := a.first
	a.mu.Unlock()
	return first.Verify(secret)
}

// Forget has the Secret read anew: it has changed. While that cannot be done it
// is as it was.
func (a *Accounts) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.until = time.Time{}
}

// Known reports whether an account has a name. The Secret adds none.
func (a *Accounts) Known(name string) bool {
	all, _ := account.Parse(a.settings(), nil)
	_, ok := all[name]
	return ok
}

// Verify proves a password.
func (a *Accounts) Verify(ctx context.Context, name, secret string) (*auth.User, error) {
	data, at, err := a.data(ctx)
	if err != nil {
		return nil, err
	}
	all, _ := account.Parse(a.settings(), data)
	if changed := all[name].PasswordChanged; changed.After(at) {
		at = changed // in this second
	}
	if name == account.Admin && all[name].Enabled && a.isFirst(secret) {
		return &auth.User{Name: name, Began: at}, nil
	}
	if _, err := all.SignIn(name, secret); err != nil {
		return nil, gitops.Problemf(gitops.Refused, "%w", err)
	}
	return &auth.User{Name: name, Began: at}, nil
}

// Valid tells why a token no longer counts.
func (a *Accounts) Valid(ctx context.Context, t *token.Token) error {
	if t.Project != "" {
		return a.listed(t)
	}
	all, err := a.all(ctx)
	if err != nil {
		return err
	}
	if t.APIKey {
		_, err = all.Key(t.User.Name, t.ID, a.now())
		return err
	}
	_, err = all.Session(t.User.Name, t.IssuedAt)
	return err
}

// listed reports whether a project's role still has a token.
func (a *Accounts) listed(t *token.Token) error {
	gone := gitops.Problemf(gitops.Refused, "role %s of project %s does not list the token", t.Role, t.Project)
	p := a.projects.Project(t.Project)
	if p == nil {
		return gone
	}
	for i := range p.Spec.Roles {
		if p.Spec.Roles[i].Name != t.Role {
			continue
		}
		for _, listed := range slices.Concat(p.Spec.Roles[i].JWTTokens, p.Status.JWTTokensByRole[t.Role].Items) {
			if listed.ID == t.ID && t.ID != "" || t.ID == "" && listed.IssuedAt == t.IssuedAt.Unix() {
				return nil
			}
		}
	}
	return gone
}
