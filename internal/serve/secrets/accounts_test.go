package secrets

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// awaySecret is one that is read as often as the API server answers.
type awaySecret struct {
	client.Reader

	err     error
	bounded bool
	data    map[string][]byte
}

func (a *awaySecret) Get(ctx context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	_, a.bounded = ctx.Deadline()
	if secret, ok := o.(*corev1.Secret); ok {
		secret.Data = map[string][]byte{"admin.password": []byte("x")}
		if a.data != nil {
			secret.Data = a.data
		}
	}
	return errors.Join(a.err, ctx.Err())
}

// Accounts that were read once are known while the API server is away, and
// nobody waits for it without end.
func TestAccountsOutliveTheAPIServer(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	secret := &awaySecret{err: errors.New("connection refused")}
	a := &Accounts{secret: secret, now: func() time.Time { return now }}
	var p *gitops.Problem
	if _, _, err := a.data(t.Context()); !errors.As(err, &p) || p.Kind != gitops.Unreachable {
		t.Errorf("before the first answer: %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	secret.err = nil
	if data, _, err := a.data(gone); err != nil || len(data) != 1 || !secret.bounded {
		t.Errorf("for who does not wait: %v, %v", data, err)
	}
	now, secret.err = now.Add(time.Hour), errors.New("connection refused")
	if data, _, err := a.data(t.Context()); err != nil || len(data) != 1 {
		t.Errorf("while it is away: %v, %v", data, err)
	}
}

// A session begins when what proved the password was read: one of a password
// that was set since then does not count, and one of the new password does.
func TestSessionsBeginWithTheirProof(t *testing.T) {
	start := time.Date(2026, 5, 1, 12, 0, 0, 7e8, time.UTC)
	now := start
	old := setPassword(t, "admin", "the old one", start.Add(-time.Hour))
	secret := &awaySecret{data: old}
	a := &Accounts{secret: secret, now: func() time.Time { return now }, settings: func() map[string]string { return nil }}
	counts := func(password string) bool {
		t.Helper()
		u, err := a.Verify(t.Context(), "admin", password)
		if err != nil {
			t.Fatal(err)
		}
		a.Forget()
		return a.Valid(t.Context(), &token.Token{User: u, IssuedAt: u.Began.Truncate(time.Second)}) == nil
	}
	if !counts("the old one") {
		t.Error("the first session does not count")
	}
	book := account.Account{PasswordChanged: start.Add(-time.Hour)}
	since := sinceSet(&book, start)
	secret.data = setPassword(t, "admin", "the new one", since)
	now = since.Add(time.Hour) // the proof is read before, its session signed and asked about afterwards
	a.known, a.at, a.until = old, start, now.Add(time.Second)
	if counts("the old one") {
		t.Error("a session of the password before counts")
	}
	now = start
	a.Forget()
	if !counts("the new one") {
		t.Error("a session of the new password does not count, which begins in the same second")
	}
	book.PasswordChanged = since
	if again := sinceSet(&book, start); !again.After(since) {
		t.Errorf("what is set again in the same second counts since %s", again)
	}
}

// The password of a start counts until admin has another one.
func TestFirstPasswordIsForgotten(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	first, err := password.New("of this start")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason string
		before map[string][]byte
		after  map[string][]byte
		want   bool
	}{
		"Older": {"it was set before", nil, setPassword(t, "admin", "another", now.Add(-time.Hour)), true},
		"Set":   {"it was set since", nil, setPassword(t, "admin", "another", now.Add(time.Second)), false},
		"Bare":  {"it was set by who told no time", map[string][]byte{}, map[string][]byte{"admin.password": []byte("x")}, false},
		"Other": {"that of another account was set", map[string][]byte{}, setPassword(t, "accounts.ann", "another", now.Add(time.Second)), true},
	} {
		t.Run(name, func(t *testing.T) {
			secret := &awaySecret{data: tc.before}
			a := &Accounts{secret: secret, now: func() time.Time { return now }, settings: func() map[string]string { return nil }, first: first, started: now}
			if tc.before != nil {
				if _, err := a.Verify(t.Context(), "admin", "of this start"); err != nil {
					t.Fatal(err)
				}
			}
			secret.data = tc.after
			a.Forget()
			if _, err := a.Verify(t.Context(), "admin", "of this start"); (err == nil) != tc.want || a.hasFirst() != tc.want {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// setPassword is a Secret in which an account has a password.
func setPassword(t *testing.T, prefix, text string, since time.Time) map[string][]byte {
	t.Helper()
	hash, err := password.New(text)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{prefix + ".password": []byte(hash.Text()), prefix + ".passwordMtime": []byte(since.Format(time.RFC3339))}
}
