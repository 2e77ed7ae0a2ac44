package login

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/cli/target"
)

const (
	// ssoPatience is how long somebody has to sign in.
	ssoPatience = 5 * time.Minute
	// maxLanding bounds what the browser brings, in bytes.
	maxLanding = 16 << 10
	// landingTime bounds a request of the browser, and the page that it gets at the end.
	landingTime = 15 * time.Second
)

// byIssuer signs somebody in with the server's issuer, in a browser on this
// machine, and returns the ID token.
func (l *loginFlags) byIssuer(ctx context.Context) (string, error) {
	issuer, err := l.issuer(ctx)
	if err != nil {
		return "", err
	}
	defer issuer.Close()
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(l.port)))
	if err != nil {
		return "", fmt.Errorf("cannot wait on this machine for the browser to come back: %w", err)
	}
	at := &landing{server: l.Server.Address, issuer: issuer, turn: make(chan struct{}, 1), came: make(chan arrival, 1)}
	address, err := at.begin(ctx, l.back(listener))
	if err != nil {
		return "", errors.Join(err, listener.Close())
	}
	_, _ = fmt.Fprintf(l.Err, "Sign in at %s in the browser. If none opens, go to\n\n  %s\n\n", address.Host, address)
	browse(ctx, address)
	got, err := at.wait(ctx, listener, l.patience)
	if err != nil {
		return "", fmt.Errorf("cannot sign in at %s with the issuer %s: %w", l.Server.Address, issuer.Config.Issuer, err)
	}
	if !got.until.IsZero() {
		_, _ = fmt.Fprintf(l.Err, "the issuer lets it count until %s; run this again after that\n", got.until.UTC().Format(time.RFC3339))
	}
	return got.token, nil
}

// issuer is the one that the server names, as a client without a secret asks it.
func (l *loginFlags) issuer(ctx context.Context) (*oidc.Issuer, error) {
	c, err := target.Dial(l.Global, "")
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if !c.Private() {
		return nil, fmt.Errorf("cannot ask %s in the clear whom to sign in with: whoever is on the way could name themselves; name the server as https://", c.Server())
	}
	settings, err := c.Settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot read how people sign in at %s: %w", c.Server(), err)
	}
	s := settings.OIDC
	if s == nil {
		return nil, fmt.Errorf("no issuer is set up at %s: name one in oidc.config of its ConfigMap argocd-cm, or sign in with --user", c.Server())
	}
	config, err := oidc.Public(&oidc.Config{Issuer: s.Issuer, ClientID: cmp.Or(s.CLIClientID, s.ClientID), Scopes: s.Scopes, IDTokenClaims: s.Claims, RootCA: s.RootCA})
	if err != nil {
		return nil, fmt.Errorf("what %s says of its issuer cannot be used: %w", c.Server(), err)
	}
	if config.InTheClear() {
		return nil, fmt.Errorf("cannot sign in with the issuer %s in the clear: it has to be asked by TLS", config.Issuer)
	}
	return oidc.New(config, time.Now), nil
}

// back is where the issuer sends the browser back to. Issuers take any port of
// the loopback address from a program (RFC 8252, 7.3); one that does not knows
// the address that Argo CD's command line has.
func (l *loginFlags) back(listener net.Listener) *url.URL {
	if l.port != 0 {
		return &url.URL{Scheme: "http", Host: net.JoinHostPort("localhost", strconv.Itoa(l.port))}
	}
	return &url.URL{Scheme: "http", Host: listener.Addr().String()}
}

// landing is where the browser comes back to. It takes one answer to one attempt.
type landing struct {
	server  string
	issuer  *oidc.Issuer
	attempt *oidc.Attempt
	host    string
	turn    chan struct{} // taken by the answer that counts
	came    chan arrival
}

// arrival is what came of an answer.
type arrival struct {
	token string
	until time.Time
	err   error
}

// begin makes the attempt, and returns where the browser goes: an address of
// the web, whatever the issuer says, as a program of this machine opens it.
func (l *landing) begin(ctx context.Context, back *url.URL) (*url.URL, error) {
	attempt, text, err := l.issuer.Begin(ctx, back, "")
	if err != nil {
		return nil, fmt.Errorf("cannot begin to sign in: %w", err)
	}
	address, err := url.Parse(text)
	if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		return nil, fmt.Errorf("cannot begin to sign in: issuer %s names no address to sign in at", l.issuer.Config.Issuer)
	}
	l.attempt, l.host = attempt, back.Host
	return address, nil
}

// wait serves until an answer has come, or time is up. The browser has its page then.
func (l *landing) wait(ctx context.Context, listener net.Listener, patience time.Duration) (arrival, error) {
	ctx, end := context.WithTimeoutCause(ctx, patience, fmt.Errorf("nobody signed in within %s; run it again, or sign in elsewhere and keep a token with --token", patience))
	defer end()
	server := &http.Server{
		Handler: l, MaxHeaderBytes: maxLanding, ReadTimeout: landingTime, ReadHeaderTimeout: landingTime, IdleTimeout: landingTime,
		WriteTimeout: time.Minute, // the issuer is asked meanwhile
	}
	var serving sync.WaitGroup
	var broken error
	ended := make(chan struct{})
	serving.Go(func() { defer close(ended); broken = server.Serve(listener) })
	var got arrival
	select {
	case got = <-l.came:
	case <-ended:
		got.err = broken
	case <-ctx.Done():
		got.err = context.Cause(ctx)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), landingTime)
	defer cancel()
	if server.Shutdown(last) != nil {
		_ = server.Close()
	}
	serving.Wait()
	return got, got.err
}

// ServeHTTP implements http.Handler. Other pages may send browsers here: what
// does not know the state ends nothing.
func (l *landing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	answer := r.URL.Query()
	switch {
	case r.Method != http.MethodGet || r.URL.Path != oidc.CallbackPath || r.Host != l.host:
		http.NotFound(w, r)
		return
	case subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(l.attempt.State)) != 1:
		http.Error(w, "This is no answer to the sign-in that causeway waits for: use the address that it has printed.", http.StatusBadRequest)
		return
	}
	select {
	case l.turn <- struct{}{}:
	default:
		http.Error(w, "This was used before: run causeway login again.", http.StatusBadRequest)
		return
	}
	claims, token, err := l.issuer.Finish(context.WithoutCancel(r.Context()), l.attempt, answer)
	l.came <- arrival{token, expiry(claims), err}
	if err != nil {
		http.Error(w, "You are not signed in: the terminal says why. You can close this page.", http.StatusBadGateway)
		return
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = fmt.Fprintf(w, "The terminal goes on at %s. You can close this page.\n", l.server)
}

// expiry is when an ID token ends to count; zero where that cannot be told.
func expiry(claims oidc.Claims) time.Time {
	seconds, ok := claims["exp"].(float64)
	if !ok || seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
