package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Bounds of requests.
const (
	// Patience is how long one answer may take that is no stream.
	Patience = time.Minute
	// tries of a request that the server asks to send later, and how long each waits at most.
	tries     = 4
	firstWait = 500 * time.Millisecond
	mostWait  = 20 * time.Second
	// maxAnswer bounds what is read of one answer, maxError of an error.
	maxAnswer = 256 << 20
	maxError  = 64 << 10
)

// Options say which server is asked, and how.
type Options struct {
	// Server is its address, such as https://causeway.example.com.
	Server string
	Token  string
	// CA are certificates (PEM) that vouch for the server besides the system's.
	CA []byte
	// Unverified takes any certificate.
	Unverified bool
	// Agent is what the audit calls the program.
	Agent string
	// Reason is why something is done, for the audit.
	Reason string
}

// Client asks one server.
type Client struct {
	base    *url.URL
	options Options
	http    *http.Client
}

// Base reads the address of a server. A host alone is one with TLS.
func Base(server string) (*url.URL, error) {
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	u, err := url.Parse(strings.TrimRight(server, "/"))
	if err != nil {
		return nil, fmt.Errorf("%s is no address of a server: write it as https://causeway.example.com", screened(server))
	}
	if !addresses(u) {
		return nil, fmt.Errorf("%q is no address of a server: write it as https://causeway.example.com", u.Redacted())
	}
	u.Path = strings.TrimRight(u.Path, "/") // also before an empty fragment
	return u, nil
}

// addresses reports whether paths can be put behind an address: behind a question or
// a fragment, as browsers show them, they would be part of it.
func addresses(u *url.URL) bool {
	web := u.Scheme == "https" || u.Scheme == "http"
	return web && u.Hostname() != "" && u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// screened is what was given for an address and cannot be read, without what may be a
// password in it.
func screened(server string) string {
	if strings.Contains(server, "@") {
		return "what has a user before its host"
	}
	return strconv.Quote(server)
}

// New makes a client.
func New(o Options) (*Client, error) {
	base, err := Base(o.Server)
	if err != nil {
		return nil, err
	}
	if base.Scheme == "http" && o.Token != "" && !loopback(base.Hostname()) {
		return nil, fmt.Errorf("cannot send a token to %s in the clear: whoever is on the way could use it; name the server as https://", base)
	}
	settings := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.Unverified} //nolint:gosec // asked for by a flag of that name
	if len(o.CA) > 0 {
		if settings.RootCAs, err = x509.SystemCertPool(); err != nil {
			settings.RootCAs = x509.NewCertPool()
		}
		if !settings.RootCAs.AppendCertsFromPEM(o.CA) {
			return nil, errors.New("the certificates of the server's authority cannot be read: they have to be PEM")
		}
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: settings, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 15 * time.Second,
		DialContext: (&net.Dialer{Timeout: 15 * time.Second}).DialContext, ResponseHeaderTimeout: Patience,
	}
	return &Client{base: base, options: o, http: &http.Client{Transport: transport, CheckRedirect: stays(base)}}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// stays follows no redirection to another host, which would be sent the token, nor one
// after which a request that changes something would be one that reads a page.
func stays(base *url.URL) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		if r.URL.Host != base.Host || r.URL.Scheme != base.Scheme {
			return fmt.Errorf("the server sends to %s://%s: name that address, if it is the one that is meant", r.URL.Scheme, r.URL.Host)
		}
		if len(via) > 3 {
			return errors.New("the server sends in circles")
		}
		if r.Method != via[0].Method {
			return fmt.Errorf("the server sends to %s, and nothing was done: does a proxy want one to sign in first?", r.URL.Path)
		}
		return nil
	}
}

// Server is the address that is asked.
func (c *Client) Server() string { return c.base.String() }

// Private reports whether nobody on the way can read what is sent.
func (c *Client) Private() bool { return c.base.Scheme == "https" || loopback(c.base.Hostname()) }

// Close ends connections that wait.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request is one that can be sent again.
type request struct {
	method, path string
	query        url.Values
	body         any
}

// ask sends a request, and decodes its answer; into may be nil.
func (c *Client) ask(ctx context.Context, r request, into any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, Patience, fmt.Errorf("%s did not answer within %s", c.base, Patience))
	defer cancel()
	answer, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") { // also where nothing is read: nothing was done
		return fmt.Errorf("cannot understand the answer of %s to %s: is it a Causeway of this version? It is a page; does a proxy want one to sign in first?", c.base, r.path)
	}
	if into == nil || answer.StatusCode == http.StatusNoContent {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return c.unanswered(ctx, err)
	}
	if len(text) > maxAnswer {
		return fmt.Errorf("%s answers %s with more than %d bytes", c.base, r.path, maxAnswer)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("cannot understand the answer of %s to %s: is it a Causeway of this version? %w", c.base, r.path, err)
	}
	return nil
}

// Get asks for what is at a path.
func (c *Client) Get(ctx context.Context, path string, query url.Values, into any) error {
	return c.ask(ctx, request{http.MethodGet, path, query, nil}, into)
}

// send sends a request until it is answered with something else than to come
// later. The caller closes the body. An error answer is a Problem.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	wait := firstWait
	for try := 1; ; try++ {
		answer, err := c.once(ctx, r)
		if err != nil {
			return nil, c.unanswered(ctx, err)
		}
		if answer.StatusCode < http.StatusMultipleChoices {
			return answer, nil
		}
		problem := problemOf(answer)
		if try == tries || answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusServiceUnavailable {
			return nil, problem
		}
		select {
		case <-ctx.Done():
			return nil, problem
		case <-time.After(later(answer, wait)):
			wait *= 2
		}
	}
}

// later is how long the server asks to wait.
func later(answer *http.Response, wait time.Duration) time.Duration {
	said := answer.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(said); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, int(mostWait/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(said); err == nil {
		return min(max(time.Until(at), 0), mostWait)
	}
	return wait
}

func (c *Client) once(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("cannot encode a request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	at := c.base.String() + r.path
	if len(r.query) > 0 {
		at += "?" + r.query.Encode()
	}
	q, err := http.NewRequestWithContext(ctx, r.method, at, body)
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	if c.options.Token != "" {
		q.Header.Set("Authorization", "Bearer "+c.options.Token)
	}
	if c.options.Reason != "" {
		q.Header.Set("X-Causeway-Reason", url.PathEscape(c.options.Reason))
	}
	q.Header.Set("User-Agent", c.options.Agent)
	return c.http.Do(q)
}

// unanswered says what is wrong with the way to the server.
func (c *Client) unanswered(ctx context.Context, err error) error {
	var unknown x509.UnknownAuthorityError
	var wrong x509.HostnameError
	var wire *url.Error
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return context.Cause(ctx)
	case errors.As(err, &unknown):
		return fmt.Errorf("cannot trust the server %s: nobody known vouches for its certificate; name who does with --server-ca FILE", c.base)
	case errors.As(err, &wrong):
		return fmt.Errorf("cannot trust the server %s: %w", c.base, wrong)
	case errors.As(err, &wire):
		return fmt.Errorf("cannot reach the server %s: %w", c.base, wire.Err)
	}
	return fmt.Errorf("cannot reach the server %s: %w", c.base, err)
}
