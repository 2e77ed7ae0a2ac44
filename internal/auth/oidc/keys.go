package oidc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/time/rate"
)

// Limits of questions for keys: each token with a key that nobody knows
// asks for them, and anybody can make such tokens.
const (
	keysEvery = 5 * time.Second
	keysBurst = 5
)

// keys are those that an issuer signs with. They are asked for when a
// signature needs one that is not known: issuers change them.
type keys struct {
	issuer  *Issuer
	address string
	limit   *rate.Limiter
	turn    chan struct{}
	known   atomic.Pointer[jose.JSONWebKeySet]
}

func newKeys(i *Issuer, address string) *keys {
	return &keys{issuer: i, address: address, limit: rate.NewLimiter(rate.Every(keysEvery), keysBurst), turn: make(chan struct{}, 1)}
}

// VerifySignature implements oidc.KeySet.
func (k *keys) VerifySignature(ctx context.Context, text string) ([]byte, error) {
	algs := make([]jose.SignatureAlgorithm, len(algorithms))
	for n, alg := range algorithms {
		algs[n] = jose.SignatureAlgorithm(alg)
	}
	signed, err := jose.ParseSignedCompact(text, algs)
	if err != nil {
		return nil, ErrRefused
	}
	before := k.known.Load()
	if payload, ok := verified(signed, before); ok {
		return payload, nil
	}
	now, err := k.newer(ctx, before)
	if err != nil {
		return nil, err
	}
	if payload, ok := verified(signed, now); ok {
		return payload, nil
	}
	return nil, fmt.Errorf("%w: the ID token is not signed by a key of the issuer", ErrRefused)
}

func verified(signed *jose.JSONWebSignature, known *jose.JSONWebKeySet) ([]byte, bool) {
	if known == nil || len(signed.Signatures) != 1 {
		return nil, false
	}
	id := signed.Signatures[0].Header.KeyID
	for n := range known.Keys {
		key := &known.Keys[n]
		if id != "" && key.KeyID != id || key.Use != "" && key.Use != "sig" || !key.IsPublic() {
			continue
		}
		if payload, err := signed.Verify(key); err == nil {
			return payload, true
		}
	}
	return nil, false
}

// newer asks for the keys, unless somebody else has done so since.
func (k *keys) newer(ctx context.Context, before *jose.JSONWebKeySet) (*jose.JSONWebKeySet, error) {
	leave, err := k.issuer.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrAway, ctx.Err())
	}
	if now := k.known.Load(); now != before {
		return now, nil
	}
	if !k.limit.Allow() {
		return nil, ErrBusy
	}
	now, err := k.fetch(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: cannot read its keys: %.300s", ErrAway, err) //nolint:errorlint // cut: the issuer wrote it
	}
	k.known.Store(now)
	return now, nil
}

func (k *keys) fetch(ctx context.Context) (*jose.JSONWebKeySet, error) {
	ctx, cancel := k.issuer.asking(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, k.address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := k.issuer.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %d", k.address, resp.StatusCode)
	}
	var set jose.JSONWebKeySet
	if err := json.NewDecoder(resp.Body).Decode(&set); err != nil {
		return nil, fmt.Errorf("%s answers with no set of keys", k.address)
	}
	return &set, nil
}
