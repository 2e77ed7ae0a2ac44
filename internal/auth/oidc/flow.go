package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Attempt is a sign-in that has begun, as the browser keeps it.
type Attempt struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Base     string    `json:"base"` // the address of the installation
	Return   string    `json:"return"`
	Until    time.Time `json:"until"`
}

// AttemptLife is how long somebody has to sign in.
const AttemptLife = 10 * time.Minute

// maxCode bounds what an issuer's answer carries.
const maxCode = 8 << 10

// Begin starts a sign-in: it returns where the browser goes.
func (i *Issuer) Begin(ctx context.Context, base *url.URL, back string) (*Attempt, string, error) {
	f, err := i.enterAndFind(ctx)
	if err != nil {
		return nil, "", err
	}
	a := &Attempt{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Base: base.String(), Return: back,
		Until: i.now().Add(AttemptLife),
	}
	more := []oauth2.AuthCodeOption{oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)}
	if len(i.Config.IDTokenClaims) > 0 {
		wanted, err := json.Marshal(map[string]any{"id_token": i.Config.IDTokenClaims})
		if err != nil {
			return nil, "", fmt.Errorf("requestedIDTokenClaims of %s cannot be sent: %w", keyOIDC, err)
		}
		more = append(more, oauth2.SetAuthURLParam("claims", string(wanted)))
	}
	if i.Config.DomainHint != "" {
		more = append(more, oauth2.SetAuthURLParam("domain_hint", i.Config.DomainHint))
	}
	return a, i.grant(f, a).AuthCodeURL(a.State, more...), nil
}

func (i *Issuer) grant(f *found, a *Attempt) *oauth2.Config {
	return &oauth2.Config{
		ClientID: i.Config.ClientID, ClientSecret: string(i.Config.ClientSecret), Endpoint: f.endpoint,
		RedirectURL: a.Base + CallbackPath, Scopes: i.Config.Scopes,
	}
}

// Finish takes the issuer's answer, which the browser brings, to an attempt.
// The ID token comes back, too.
func (i *Issuer) Finish(ctx context.Context, a *Attempt, answer url.Values) (Claims, string, error) {
	if err := i.answers(answer); err != nil {
		return nil, "", err
	}
	f, tokens, err := i.exchange(ctx, a, answer)
	if err != nil {
		return nil, "", err
	}
	text, _ := tokens.Extra("id_token").(string)
	id, claims, err := i.read(ctx, f, text)
	if err != nil {
		return nil, "", err
	}
	if !slices.Contains(id.Audience, i.Config.ClientID) {
		return nil, "", fmt.Errorf("%w: the ID token is for somebody else (aud)", ErrRefused)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(a.Nonce)) != 1 {
		return nil, "", fmt.Errorf("%w: the ID token is for another sign-in (nonce)", ErrRefused)
	}
	if party, is := claims["azp"].(string); is && party != i.Config.ClientID {
		return nil, "", fmt.Errorf("%w: the ID token was given to another client (azp)", ErrRefused)
	}
	if i.Config.UserInfo {
		err = i.addGroups(ctx, f, claims, tokens)
	}
	return claims, text, err
}

// answers tells what is wrong with what the browser brings.
func (i *Issuer) answers(answer url.Values) error {
	switch {
	case answer.Get("error") != "":
		return fmt.Errorf("%w: it says %.60q", ErrRefused, answer.Get("error"))
	case answer.Get("code") == "" || len(answer.Get("code")) > maxCode:
		return fmt.Errorf("%w: it has no code", ErrRefused)
	case answer.Has("iss") && answer.Get("iss") != i.Config.Issuer:
		return fmt.Errorf("%w: another issuer sent it (iss)", ErrRefused)
	}
	return nil
}

// exchange turns the code into tokens.
func (i *Issuer) exchange(ctx context.Context, a *Attempt, answer url.Values) (*found, *oauth2.Token, error) {
	leave, err := i.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer leave()
	f, err := i.find(ctx)
	if err != nil {
		return nil, nil, err
	}
	if f.says && !answer.Has("iss") {
		return nil, nil, fmt.Errorf("%w: it does not say who sent it (iss)", ErrRefused)
	}
	ctx, cancel := i.asking(ctx)
	defer cancel()
	tokens, err := i.grant(f, a).Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(a.Verifier))
	// The text of an error has the issuer's whole answer, which is not to be told.
	said := (*oauth2.RetrieveError)(nil)
	if errors.As(err, &said) && said.ErrorCode == "" {
		return nil, nil, fmt.Errorf("%w: it gives no tokens for the code: %s", ErrAway, said.Response.Status)
	}
	if said != nil {
		return nil, nil, fmt.Errorf("%w: it does not take the code: %.60q", ErrRefused, said.ErrorCode)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: it gives no tokens for the code: %.300s", ErrAway, err) //nolint:errorlint // cut: the issuer wrote it
	}
	return f, tokens, nil
}

// read checks an ID token, but for whom it is. What it says is not repeated.
func (i *Issuer) read(ctx context.Context, f *found, text string) (*oidc.IDToken, Claims, error) {
	if text == "" || len(text) > maxToken {
		return nil, nil, fmt.Errorf("%w: it has no ID token, or one of more than %d bytes", ErrRefused, maxToken)
	}
	if !i.IsFor(text) {
		return nil, nil, fmt.Errorf("%w: the ID token is another issuer's (iss)", ErrRefused)
	}
	c := &oidc.Config{SkipClientIDCheck: true, SupportedSigningAlgs: f.algs, Now: func() time.Time { return i.now().Add(-leeway) }}
	set := &remembering{KeySet: f.keys}
	id, err := oidc.NewVerifier(i.Config.Issuer, set, c).Verify(ctx, text)
	var late *oidc.TokenExpiredError
	switch {
	case set.err != nil:
		return nil, nil, set.err
	case errors.As(err, &late):
		return nil, nil, fmt.Errorf("%w: the ID token has expired (exp)", ErrRefused)
	case err != nil:
		return nil, nil, fmt.Errorf("%w: the ID token is signed in another way than the issuer says, or counts later (alg, nbf)", ErrRefused)
	}
	var claims Claims
	if err := id.Claims(&claims); err != nil || id.Subject == "" {
		return nil, nil, fmt.Errorf("%w: the ID token does not say whose it is", ErrRefused)
	}
	return id, claims, nil
}

// remembering keeps the error, whose text alone the verifier hands on.
type remembering struct {
	oidc.KeySet

	err error
}

// VerifySignature implements oidc.KeySet.
func (r *remembering) VerifySignature(ctx context.Context, text string) (payload []byte, err error) {
	payload, r.err = r.KeySet.VerifySignature(ctx, text)
	return payload, r.err
}

// addGroups asks for the groups, where the ID token does not have them.
func (i *Issuer) addGroups(ctx context.Context, f *found, claims Claims, tokens *oauth2.Token) error {
	leave, err := i.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := i.asking(ctx)
	defer cancel()
	p := f.provider
	if address := i.userInfo(); address != "" {
		p = (&oidc.ProviderConfig{IssuerURL: i.Config.Issuer, UserInfoURL: address}).NewProvider(ctx)
	}
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return fmt.Errorf("%w: it does not say who it is at its user info", ErrAway)
	}
	var more struct {
		Groups any `json:"groups"`
	}
	if err := info.Claims(&more); err != nil || info.Subject != claims["sub"] {
		return fmt.Errorf("%w: its user info is about somebody else", ErrRefused)
	}
	if more.Groups != nil {
		claims["groups"] = more.Groups
	}
	return nil
}

func (i *Issuer) userInfo() string {
	if i.Config.UserInfoURL != "" || i.Config.UserInfoPath == "" {
		return i.Config.UserInfoURL
	}
	return strings.TrimSuffix(i.Config.Issuer, "/") + "/" + strings.TrimPrefix(i.Config.UserInfoPath, "/")
}

// Bearer checks an ID token that a program brings.
func (i *Issuer) Bearer(ctx context.Context, text string) (Claims, error) {
	f, err := i.enterAndFind(ctx)
	if err != nil {
		return nil, err
	}
	id, claims, err := i.read(ctx, f, text)
	if err != nil {
		return nil, err
	}
	wanted := i.Config.audiences()
	if slices.ContainsFunc(id.Audience, func(is string) bool { return slices.Contains(wanted, is) }) ||
		len(id.Audience) == 0 && i.Config.NoAudience {
		return claims, nil
	}
	return nil, fmt.Errorf("%w: the ID token is for somebody else (aud): name its audience in allowedAudiences of %s", ErrRefused, keyOIDC)
}

func (i *Issuer) enterAndFind(ctx context.Context) (*found, error) {
	f, ok, err := i.remembered()
	if ok {
		return f, err
	}
	leave, err := i.enter(ctx)
	if err != nil && f != nil {
		return f, nil // it is renewed by another one
	}
	if err != nil {
		return nil, err
	}
	defer leave()
	return i.find(ctx)
}

// Claims are what an ID token says.
type Claims map[string]any

// Name is what people call somebody: the e-mail address when the issuer has
// verified it, else the user name, else the subject.
func (c Claims) Name() string {
	if email := c.Email(); email != "" {
		return email
	}
	for _, claim := range []string{"preferred_username", "sub"} {
		if name, _ := c[claim].(string); name != "" {
			return name
		}
	}
	return ""
}

// Email is the address that the issuer has verified.
func (c Claims) Email() string {
	email, _ := c["email"].(string)
	if verified, _ := c["email_verified"].(bool); !verified {
		return ""
	}
	return email
}

// Believed are the claims without an address of mail that the issuer says it has
// not verified: whoever types one in is not to have the rights of its owner. An
// issuer that does not say is believed, as some never do.
func (c Claims) Believed() Claims {
	switch verified, says := c["email_verified"]; {
	case !says, verified == true, verified == "true":
		return c
	}
	out := maps.Clone(c)
	delete(out, "email")
	return out
}

// Keep are texts and lists of texts of the claims that are named: what a
// session has to carry.
func (c Claims) Keep(names []string) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(slices.Values(names)) {
		switch v := c[name].(type) {
		case string:
			out[name] = v
		case []any:
			texts := []any{}
			for _, one := range v {
				if text, is := one.(string); is {
					texts = append(texts, text)
				}
			}
			out[name] = texts
		}
	}
	return out
}

// IsFor tells, without a proof, whether a token says that the issuer made it.
func (i *Issuer) IsFor(text string) bool { return issuerOf(text) == i.Config.Issuer }

// Is reports whether claims that were taken name the issuer. In some of Google's the
// scheme is left out, which the verifier takes from Google alone.
func (i *Issuer) Is(iss string) bool {
	return iss == i.Config.Issuer || "https://"+iss == i.Config.Issuer
}
