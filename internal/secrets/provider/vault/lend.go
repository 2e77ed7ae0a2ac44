package vault

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/causeway-gitops/causeway/internal/secrets/lease"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Dynamic makes what VaultDynamicSecrets ask for, renews it and revokes it. It is safe for
// concurrent use.
//
// Vault ends a lease together with the token that it was made with. So each has a login of
// its own, whose token is renewed with the lease, and revoked in place of it: every token
// may do that with itself, while revoking a lease is a right of its own. A token is kept in
// memory alone. After a restart of the engine, a lease is renewed and revoked with a new
// login, and ends with its first token at the latest.
type Dynamic struct {
	now func() time.Time

	mu       sync.Mutex
	sessions map[string]*session
}

// NewDynamic is one with a clock; the machine's when nil.
func NewDynamic(now func() time.Time) *Dynamic {
	if now == nil {
		now = time.Now
	}
	return &Dynamic{now: now, sessions: map[string]*session{}}
}

// session is a login that a lease is kept with.
type session struct {
	spec dynamicSpec
	*Provider

	// parent is that the lease was made with its token.
	parent bool
	// token is what Vault said of it; without a duration, it lasts, or is somebody else's.
	token *api.SecretAuth
	// ends is when nobody needs it any more.
	ends time.Time
}

// ofToken is what the ID of a lease begins with that is none of Vault's: that of a token
// which is the value itself.
const ofToken = "token:"

// given reports whether the token is not one that was logged in for.
func (s *session) given() bool {
	return s.config.Auth == nil || s.config.Auth.TokenSecretRef != nil
}

// revocable reports whether the token can end itself, with all that was made with it. One
// of a batch cannot, and is known by that it has no accessor.
func (s *session) revocable() bool { return !s.given() && s.token.Accessor != "" }

// enter logs in.
func (d *Dynamic) enter(ctx context.Context, spec dynamicSpec, around store.Around) (*session, error) {
	p, err := spec.dial(ctx, around)
	if err != nil {
		return nil, err
	}
	s := &session{spec: spec, Provider: p, token: &api.SecretAuth{}}
	return s, s.again(ctx)
}

// again logs in with the credentials that there are now.
func (s *session) again(ctx context.Context) error {
	if s.config.Auth == nil {
		return nil
	}
	token, err := s.authenticate(ctx)
	if err != nil {
		return fmt.Errorf("spec.provider.auth: %w", err)
	}
	s.token, s.parent = token, false
	s.client.SetToken(token.ClientToken)
	return nil
}

// leave ends the token of a session that nothing depends on. One that cannot be revoked
// ends by itself.
func (s *session) leave(ctx context.Context) {
	if !s.revocable() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	_ = s.entrance().Auth().Token().RevokeSelfWithContext(ctx, "")
}

// drop ends what was made that nobody gets, and the session. A lease, if there is one, has
// to be revoked where the token lasts.
func (s *session) drop(ctx context.Context, l *lease.Lease) (err error) {
	if l != nil && !s.revocable() && !strings.HasPrefix(l.ID, ofToken) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		if err = s.client.Sys().RevokeWithContext(ctx, l.ID); err != nil {
			err = fmt.Errorf("cannot revoke it: %w", plain(err))
		}
	}
	s.leave(ctx)
	return err
}

// farewell is how long a token is revoked that would end by itself.
const farewell = 5 * time.Second

// Lend makes values. Where that fails after Vault made them, as its answer was lost, they
// end with the token.
func (d *Dynamic) Lend(ctx context.Context, text json.RawMessage, around store.Around) (map[string][]byte, *lease.Lease, error) {
	spec, err := parseDynamic(text)
	if err != nil {
		return nil, nil, err
	}
	began := d.now().UTC().Truncate(time.Second) // as it is written
	s, err := d.enter(ctx, spec, around)
	if err != nil {
		return nil, nil, err
	}
	secret, err := spec.ask(ctx, s.client)
	if err != nil {
		s.leave(ctx)
		return nil, nil, err
	}
	l := leaseOf(spec, secret, began)
	values, err := spec.values(secret)
	if l == nil || err != nil {
		if left := s.drop(ctx, l); left != nil {
			err = fmt.Errorf("%w; what was made counts until its lease ends: %w", err, left)
		}
		return values, nil, err
	}
	s.parent = true
	s.bind(l, began)
	l.Span = int64(l.End().Sub(began).Seconds())
	d.keep(around, *l, s)
	return values, l, nil
}

// leaseOf is that of an answer; nil where what it has does not end. Durations of entries
// of a KV engine have no lease.
func leaseOf(spec dynamicSpec, secret *api.Secret, began time.Time) *lease.Lease {
	l := &lease.Lease{Made: began, Renewed: began}
	switch {
	case secret == nil:
		return nil
	case secret.LeaseID != "" && secret.LeaseDuration > 0:
		l.ID, l.Renewable, l.Ends = secret.LeaseID, secret.Renewable, began.Add(seconds(secret.LeaseDuration))
	case secret.Auth != nil && secret.Auth.LeaseDuration > 0 && (spec.ResultType == resultAuth || spec.ResultType == resultRaw):
		l.ID, l.Ends = ofToken+rand.Text(), began.Add(seconds(secret.Auth.LeaseDuration))
	default:
		return nil
	}
	return l
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// bind notes when the token of a session ends, and whether anything can still be done
// against the end.
func (s *session) bind(l *lease.Lease, began time.Time) {
	if s.parent && s.token.LeaseDuration > 0 {
		l.TokenEnds = began.Add(seconds(s.token.LeaseDuration))
	}
	byToken := !l.TokenEnds.IsZero() && l.TokenEnds.Before(l.Ends)
	l.Final = !byToken && !l.Renewable || byToken && (!s.parent || !s.token.Renewable)
}

// longestKept is when a session is forgotten that nobody renewed: a little longer than
// the longest time that Vault gives a lease by itself, of 32 days.
const longestKept = 33 * 24 * time.Hour

func keyOf(around store.Around, l lease.Lease) string { return around.Whose() + " " + l.ID }

// keep remembers the session of a lease, and forgets those that have ended.
func (d *Dynamic) keep(around store.Around, l lease.Lease, s *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	for key, one := range d.sessions {
		if one.ends.Before(now) {
			delete(d.sessions, key)
		}
	}
	// Its owner revokes it before that. What a Secret tells of may be of any year.
	s.ends = l.End().Add(time.Hour)
	if last := now.Add(longestKept); s.ends.After(last) {
		s.ends = last
	}
	d.sessions[keyOf(around, l)] = s
}

func (d *Dynamic) take(around store.Around, l lease.Lease) *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sessions[keyOf(around, l)]
}

func (d *Dynamic) forget(around store.Around, l lease.Lease) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, keyOf(around, l))
}

// open is the session of a lease: the one that there is, or a new login. What the lease
// of a Secret says may have been written by anybody who may write Secrets there: only
// those are touched that the generator makes.
func (d *Dynamic) open(ctx context.Context, text json.RawMessage, around store.Around, l lease.Lease) (s *session, fresh bool, err error) {
	if s = d.take(around, l); s != nil && !s.given() {
		return s, false, nil
	}
	var spec dynamicSpec
	switch {
	case text != nil:
		if spec, err = parseDynamic(text); err != nil {
			return nil, false, err
		}
	case s != nil:
		spec = s.spec
	default:
		return nil, false, errGone
	}
	if !strings.HasPrefix(l.ID, spec.Path+"/") && !strings.HasPrefix(l.ID, ofToken) {
		return nil, false, fmt.Errorf("%w: %s is none of %s", errForeign, l.ID, spec.Path)
	}
	s, err = d.enter(ctx, spec, around)
	if err != nil {
		return nil, true, err
	}
	d.keep(around, l, s)
	return s, true, nil
}
