package oidc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
)

// Bounds of what an issuer may cost.
const (
	// answerTime bounds one question to the issuer.
	answerTime = 10 * time.Second
	// maxAnswer bounds what it answers with.
	maxAnswer = 1 << 20
	// atOnce is how many requests wait for the issuer at most: others are told
	// to come back, so that one that is slow holds up nothing else. Strangers
	// bring made-up codes and tokens, so a network has a quarter and a site
	// has three eighths, and a quarter is kept for networks that are known.
	atOnce, ofNetwork, ofSite, kept = 32, 8, 12, 8
	// foundFor is how long the issuer's addresses are believed.
	foundFor = time.Hour
	// againAfter is how long an issuer is let alone that did not answer.
	againAfter = 2 * time.Second
	// leeway is how far the clocks of two machines may differ.
	leeway = 30 * time.Second
)

// What may be told to whoever signs in.
var (
	ErrAway    = errors.New("the issuer does not answer as it should; try again in a little while")
	ErrBusy    = errors.New("too many are waiting for the issuer; try again in a little while")
	ErrRefused = errors.New("the issuer's answer is not valid; sign in again")
)

// algorithms of signatures that are taken: none and those with a shared
// secret are not, as a client ID is no secret.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// Issuer asks one issuer. It is safe for concurrent use.
type Issuer struct {
	Config *Config

	client *http.Client
	now    func() time.Time
	time   time.Duration // that one question may take
	places *origin.Places
	turn   chan struct{} // of the one who asks for the addresses

	mu    sync.Mutex
	known *found
	err   error
	again time.Time
}

// found is what the issuer says of itself.
type found struct {
	provider *oidc.Provider
	endpoint oauth2.Endpoint
	keys     *keys
	algs     []string
	says     bool // iss comes with each answer
	until    time.Time
}

// New makes an issuer; it is asked when it is needed.
func New(c *Config, now func() time.Time) *Issuer { return NewAmong(c, now, nil) }

// NewAmong is New for a server, where some networks are known: those of others
// do not keep them from the issuer.
func NewAmong(c *Config, now func() time.Time, known *origin.Known) *Issuer {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: answerTime,
		MaxResponseHeaderBytes: maxAnswer, IdleConnTimeout: time.Minute, MaxIdleConns: atOnce,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.roots, InsecureSkipVerify: c.Insecure}, //nolint:gosec // who runs it says so
	}
	return &Issuer{
		Config: c, now: now, time: answerTime, turn: make(chan struct{}, 1),
		places: origin.NewPlaces(origin.Share{All: atOnce, Site: ofSite, Network: ofNetwork, Kept: kept}, known),
		client: &http.Client{Transport: bounded{transport}, CheckRedirect: sameHost},
	}
}

// Close ends idle connections.
func (i *Issuer) Close() { i.client.CloseIdleConnections() }

// bounded cuts off answers that are too long.
type bounded struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.Transport.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	}
	return resp, err
}

// sameHost follows redirects of what is read alone, and within the issuer:
// codes and secrets go where the issuer said, and nowhere else.
func sameHost(r *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || r.Method != http.MethodGet || first.Method != http.MethodGet || r.URL.Host != first.URL.Host || r.URL.Scheme != first.URL.Scheme {
		return errors.New("the issuer redirects to somewhere else")
	}
	return nil
}

// enter takes one of the places of those who wait for the issuer, for where a
// request comes from.
func (i *Issuer) enter(ctx context.Context) (leave func(), err error) {
	leave, ok := i.places.Try(origin.From(ctx))
	if !ok {
		return nil, ErrBusy
	}
	return leave, nil
}

// asking is a context for a question to the issuer. Whoever asked may go: the
// answer is for those behind them, too.
func (i *Issuer) asking(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(oidc.ClientContext(context.WithoutCancel(ctx), i.client), i.time)
}

// find returns what the issuer says of itself, which is asked once for all.
func (i *Issuer) find(ctx context.Context) (*found, error) {
	f, ok, err := i.remembered()
	if ok {
		return f, err
	}
	if f != nil {
		return i.renew(ctx, f)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, ctx.Err())
	}
	select {
	case i.turn <- struct{}{}:
		defer func() { <-i.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrAway, ctx.Err())
	}
	if f, ok, err := i.remembered(); ok {
		return f, err
	}
	return i.remember(i.discover(ctx))
}

// renew asks anew, unless somebody does so already: what was found before is
// good meanwhile.
func (i *Issuer) renew(ctx context.Context, before *found) (*found, error) {
	select {
	case i.turn <- struct{}{}:
		defer func() { <-i.turn }()
		return i.remember(i.discover(ctx))
	default:
		return before, nil
	}
}

// remembered is what was found, or why nothing was; fresh tells that nobody
// has to be asked.
func (i *Issuer) remembered() (_ *found, fresh bool, _ error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := i.now()
	if i.known != nil {
		return i.known, now.Before(i.known.until) || now.Before(i.again), nil
	}
	if now.Before(i.again) {
		return nil, true, i.err
	}
	return nil, false, nil
}

// remember keeps what was found. What was found before is good while the
// issuer is away.
func (i *Issuer) remember(f *found, err error) (*found, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err != nil {
		i.err, i.again = err, i.now().Add(againAfter)
		if i.known != nil {
			return i.known, nil
		}
		return nil, err
	}
	i.known, i.again = f, time.Time{}
	return f, nil
}

func (i *Issuer) discover(ctx context.Context) (*found, error) {
	ctx, cancel := i.asking(ctx)
	defer cancel()
	p, err := oidc.NewProvider(ctx, i.Config.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: cannot read what issuer %s says of itself: %.300s", ErrAway, i.Config.Issuer, err) //nolint:errorlint // cut: the issuer wrote it
	}
	var more struct {
		Keys    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
		Algs    []string `json:"id_token_signing_alg_values_supported"`
		Says    bool     `json:"authorization_response_iss_parameter_supported"`
	}
	if err := p.Claims(&more); err != nil {
		return nil, fmt.Errorf("%w: what issuer %s says of itself cannot be read", ErrAway, i.Config.Issuer)
	}
	f := &found{provider: p, endpoint: p.Endpoint(), says: more.Says, until: i.now().Add(foundFor), keys: i.keysAt(more.Keys)}
	// A code counts once: it is not tried out how the issuer wants the secret.
	f.endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if i.Config.ClientSecret == "" || slices.Contains(more.Methods, "client_secret_post") && !slices.Contains(more.Methods, "client_secret_basic") {
		f.endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	for _, alg := range more.Algs {
		if slices.Contains(algorithms, alg) {
			f.algs = append(f.algs, alg)
		}
	}
	return f, nil
}

// keysAt keeps those that are known while their address is the same.
func (i *Issuer) keysAt(address string) *keys {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.known != nil && i.known.keys.address == address {
		return i.known.keys
	}
	return newKeys(i, address)
}
