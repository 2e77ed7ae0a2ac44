package secrets

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// settingPattern of argocd-cm is what a new password is to be like.
const (
	settingPattern = v1alpha1.SettingPattern
	anyPassword    = "^.{8,72}$" // Argo CD's hashes take no more
	maxPattern     = 1024
)

// Passwords shows accounts, and sets their passwords.
type Passwords struct {
	Accounts *Accounts
	// Client writes as somebody.
	Client func(u *auth.User) (client.Client, error)
	Trail  *trail.Trail
}

// All implements api.Accounts.
func (b *Passwords) All(ctx context.Context) ([]api.Account, error) {
	all, err := b.Accounts.all(ctx)
	if err != nil {
		return nil, err
	}
	var out []api.Account
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := all[name]
		one := api.Account{Name: name, Enabled: a.Enabled, Capabilities: []string{}, PasswordChanged: a.PasswordChanged, Tokens: len(a.Tokens)}
		one.Password = !a.Password.IsZero() || name == account.Admin && b.Accounts.hasFirst()
		for _, c := range a.Capabilities {
			one.Capabilities = append(one.Capabilities, string(c))
		}
		out = append(out, one)
	}
	return out, nil
}

// SetPassword implements api.Accounts. It counts here when it returns, and at
// other replicas when they are told of the Secret.
func (b *Passwords) SetPassword(ctx context.Context, u *auth.User, name, text string) (since time.Time, err error) {
	hash, since, err := b.newPassword(ctx, name, text)
	if err != nil {
		return time.Time{}, err
	}
	patch, err := passwordPatch(name, hash, since)
	if err != nil {
		return time.Time{}, fmt.Errorf("cannot encode Secret %s: %w", account.Secret, err)
	}
	c, err := b.Client(u)
	if err != nil {
		return time.Time{}, fmt.Errorf("cannot write as %s: %w", u.Name, err)
	}
	e := &audit.Entry{Verb: "set password", Resource: "accounts", Name: name}
	if err := b.Trail.Begin(ctx, u, e); err != nil {
		return time.Time{}, err
	}
	err = b.write(ctx, c, patch)
	b.Accounts.Forget()
	b.Trail.Failed(ctx, u, e, err)
	return since, err
}

// newPassword is what an account's password is to be, and since when.
func (b *Passwords) newPassword(ctx context.Context, name, text string) (hash password.Hash, since time.Time, err error) {
	all, err := b.Accounts.all(ctx)
	if err != nil {
		return hash, since, err
	}
	a, ok := all[name]
	if !ok || !a.Can(account.Login) {
		return hash, since, gitops.Problemf(gitops.Invalid, "account %s does not sign in with a password", name).Do("add login to accounts." + name + " of " + account.ConfigMap)
	}
	pattern := cmp.Or(b.Accounts.settings()[settingPattern], anyPassword)
	fits, err := bounded.Compile(pattern)
	if err != nil || len(pattern) > maxPattern {
		return hash, since, gitops.Problemf(gitops.NotReady, "%s of %s is no regular expression of up to %d characters, so no password can be checked against it", settingPattern, account.ConfigMap, maxPattern)
	}
	if !fits.MatchString(text) {
		return hash, since, gitops.Problemf(gitops.Invalid, "the password is not as it has to be here: %s", pattern).Do("choose one that fits this expression")
	}
	hash, err = a.Password.Renew(text)
	if err != nil {
		return hash, since, gitops.Problemf(gitops.Invalid, "the password cannot be used: %w", err)
	}
	return hash, sinceSet(&a, b.Accounts.now()), nil
}

// sinceSet is since when sessions count of who knows a password that is set now.
// Tokens have whole seconds: what begins in this one is taken for what began
// before, and so is what began with a password that was set in it.
func sinceSet(a *account.Account, now time.Time) time.Time {
	since := now.UTC().Truncate(time.Second).Add(time.Second)
	if was := a.PasswordChanged; !was.Before(since) && was.Before(since.Add(ahead)) {
		since = was.UTC().Truncate(time.Second).Add(time.Second)
	}
	return since
}

// passwordPatch is what is written to the Secret.
func passwordPatch(name string, hash password.Hash, since time.Time) ([]byte, error) {
	prefix := "accounts." + name + "."
	if name == account.Admin {
		prefix = "admin."
	}
	return json.Marshal(map[string]any{"data": map[string][]byte{
		prefix + "password": []byte(hash.Text()), prefix + "passwordMtime": []byte(since.Format(time.RFC3339)),
	}})
}

// fit tells why the Secret of accounts must not be written: it is somebody else's.
func (b *Passwords) fit(ctx context.Context) error {
	s := &corev1.Secret{}
	err := b.Accounts.secret.Get(ctx, b.Accounts.name, s)
	if client.IgnoreNotFound(err) != nil {
		return gitops.Problemf(gitops.Unreachable, "cannot read the accounts of Secret %s: %w", account.Secret, err).Do("try again")
	}
	return gitops.Misused(account.Secret, s.Labels)
}

// write changes the Secret of accounts, which is made where there is none.
func (b *Passwords) write(ctx context.Context, c client.Client, patch []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
	defer cancel()
	of := func() *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: b.Accounts.name.Namespace, Name: account.Secret}}
	}
	if err := b.fit(ctx); err != nil {
		return err
	}
	err := c.Patch(ctx, of(), client.RawPatch(types.MergePatchType, patch), FieldOwner)
	if apierrors.IsNotFound(err) {
		made := of()
		if err := json.Unmarshal(patch, made); err != nil {
			return fmt.Errorf("cannot decode Secret %s: %w", account.Secret, err)
		}
		made.Labels = map[string]string{partOf: partOfArgo}
		err = c.Create(ctx, made, FieldOwner)
	}
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Forbidden, "Kubernetes does not let Secret %s be written, which keeps passwords", account.Secret).
			Do("set server.passwords in the values of the chart, or patch the Secret with kubectl")
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return gitops.Problemf(gitops.NotReady, "Secret %s is being changed by somebody else; try again", account.Secret)
	}
	return gitops.Problemf(gitops.Unreachable, "cannot write Secret %s, which keeps passwords: %w", account.Secret, err).Do("try again")
}
