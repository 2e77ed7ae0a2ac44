package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/causeway-gitops/causeway/internal/secrets/lease"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

var (
	errGone    = errors.New("the generator is gone, and with it how to log in")
	errNoMore  = errors.New("the lease is not renewed any more")
	errForeign = errors.New("the lease belongs to another path")
)

// Renew asks for as much time as there was at first. Where Vault gives less, the lease is
// Final, and others are to be made in time; an error is one of Vault being away.
func (d *Dynamic) Renew(ctx context.Context, text json.RawMessage, around store.Around, l lease.Lease) (lease.Lease, error) {
	s, fresh, err := d.open(ctx, text, around, l)
	if errors.Is(err, errForeign) {
		l.Final = true // made before the path was another one: it is left to end
		return l, nil
	}
	if err != nil {
		return l, err
	}
	began := d.now().UTC().Truncate(time.Second)
	ended := s.renewToken(ctx)
	if ended != nil && (!l.Renewable || !errors.Is(ended, lease.ErrOver)) {
		return l, ended
	}
	renewed := l
	if l.Renewable {
		secret, err := s.extend(ctx, l, fresh)
		switch {
		case ended != nil && refused(err):
			return l, ended
		case errors.Is(err, errNoMore):
			l.Final = true
			return l, nil
		case err != nil:
			return l, err
		}
		if ended != nil { // it counts, and only may not renew itself
			s.token.Renewable, s.token.LeaseDuration = false, 0
		}
		renewed.Ends, renewed.Renewable = began.Add(seconds(secret.LeaseDuration)), secret.Renewable
	}
	s.bind(&renewed, began)
	renewed.Final = renewed.Final || renewed.Short(began)
	if !renewed.Final { // else it is replaced at two thirds of what there was in all
		renewed.Renewed = began
	}
	d.keep(around, renewed, s)
	return renewed, nil
}

// extend renews a lease; errNoMore where Vault does not let that be.
func (s *session) extend(ctx context.Context, l lease.Lease, fresh bool) (*api.Secret, error) {
	secret, err := s.renewLease(ctx, l)
	if refused(err) && !s.parent && !fresh && !s.given() { // its token has ended
		if err := s.again(ctx); err != nil {
			return nil, err
		}
		secret, err = s.renewLease(ctx, l)
	}
	switch {
	case unknown(err):
		return nil, fmt.Errorf("%w: %w", lease.ErrOver, plain(err))
	case answered(err) && !ofEngine(err):
		return nil, fmt.Errorf("%w: %w", errNoMore, err)
	case err != nil:
		return nil, fmt.Errorf("cannot renew the lease: %w", plain(err))
	}
	return secret, nil
}

// renewToken has the token count for longer that a lease was made with. One that ended has
// ended the lease.
func (s *session) renewToken(ctx context.Context) error {
	if !s.parent || !s.token.Renewable {
		return nil
	}
	secret, err := s.entrance().Auth().Token().RenewSelfWithContext(ctx, 0)
	switch {
	case refused(err):
		return fmt.Errorf("%w: the token that they were made with: %w", lease.ErrOver, plain(err))
	case answered(err):
		s.token.Renewable, s.token.LeaseDuration = false, 0
		return nil
	case err != nil:
		return fmt.Errorf("cannot renew the token: %w", plain(err))
	}
	if secret != nil && secret.Auth != nil {
		s.token.LeaseDuration, s.token.Renewable = secret.Auth.LeaseDuration, secret.Auth.Renewable
	}
	return nil
}

func (s *session) renewLease(ctx context.Context, l lease.Lease) (*api.Secret, error) {
	secret, err := s.client.Sys().RenewWithContext(ctx, l.ID, int(l.Span))
	if err == nil && secret == nil {
		return nil, errors.New("the server says nothing")
	}
	return secret, err
}

// Revoke ends a lease, and the token that it is kept with.
func (d *Dynamic) Revoke(ctx context.Context, text json.RawMessage, around store.Around, l lease.Lease) error {
	s, _, err := d.open(ctx, text, around, l)
	if errors.Is(err, errForeign) {
		return nil
	}
	if errors.Is(err, errGone) {
		return fmt.Errorf("%w: %w", lease.ErrRefused, err)
	}
	if err != nil {
		return fmt.Errorf("cannot revoke the lease: %w", err)
	}
	switch {
	case s.parent && s.revocable():
		err = s.revokeToken(ctx, l)
	case strings.HasPrefix(l.ID, ofToken):
		s.leave(ctx)
	default:
		err = s.revokeLease(ctx, l)
		s.leave(ctx)
	}
	if err != nil && !answered(err) {
		return fmt.Errorf("cannot revoke the lease: %w", plain(err))
	}
	d.forget(around, l)
	if err != nil {
		return fmt.Errorf("%w: %w", lease.ErrRefused, plain(err))
	}
	return nil
}

// revokeToken ends the token that a lease was made with. Vault answers alike that it has
// ended and that it may not do that: then the lease is revoked with another login.
func (s *session) revokeToken(ctx context.Context, l lease.Lease) error {
	err := s.entrance().Auth().Token().RevokeSelfWithContext(ctx, "")
	if !refused(err) || strings.HasPrefix(l.ID, ofToken) {
		return err
	}
	if err := s.again(ctx); err != nil {
		return err
	}
	err = s.revokeLease(ctx, l)
	s.leave(ctx)
	return err
}

func (s *session) revokeLease(ctx context.Context, l lease.Lease) error {
	err := s.client.Sys().RevokeWithContext(ctx, l.ID)
	if refused(err) && !s.given() { // its token may have ended
		if err := s.again(ctx); err != nil {
			return err
		}
		err = s.client.Sys().RevokeWithContext(ctx, l.ID)
	}
	if unknown(err) {
		return nil
	}
	return err
}

// statusOf is what Vault answered; zero where it did not.
func statusOf(err error) int {
	var answer *api.ResponseError
	if !errors.As(err, &answer) {
		return 0
	}
	return answer.StatusCode
}

// refused reports an answer that the token counts for nothing, or may not do that.
func refused(err error) bool { return statusOf(err) == http.StatusForbidden }

// answered reports an answer which another try does not change.
func answered(err error) bool {
	code := statusOf(err)
	return code >= http.StatusBadRequest && code < http.StatusInternalServerError &&
		code != http.StatusTooManyRequests && code != http.StatusRequestTimeout && code != http.StatusPreconditionFailed
}

// ofEngine reports an answer that what Vault asks itself did not do it, such as a database
// that is away: to its clients that is a bad request.
func ofEngine(err error) bool {
	var answer *api.ResponseError
	return errors.As(err, &answer) && strings.Contains(strings.Join(answer.Errors, " "), "failed to renew entry")
}

// unknown reports an answer that there is no such lease any more.
func unknown(err error) bool {
	var answer *api.ResponseError
	if !errors.As(err, &answer) || !answered(err) {
		return false
	}
	said := strings.Join(answer.Errors, " ")
	return strings.Contains(said, "lease not found") || strings.Contains(said, "lease expired") || strings.Contains(said, "invalid lease")
}
