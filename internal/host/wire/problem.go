package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ErrUntrusted is a server whose certificate no known authority vouches for,
// or that is not for its name.
var ErrUntrusted = errors.New("the server's certificate is not trusted")

// longestMessage is how many characters of a host's own words are shown.
const longestMessage = 200

// Status is an answer that is no success: the cause of a Problem.
type Status struct {
	Code int
	// Message is what the host says, shortened and without secrets.
	Message string
}

func (s *Status) Error() string {
	text := fmt.Sprintf("the server answers %d %s", s.Code, http.StatusText(s.Code))
	if s.Message == "" {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(text) + ": " + s.Message
}

// Code is the status of the answer that an error tells of; 0 where there was none.
func Code(err error) int {
	var s *Status
	if errors.As(err, &s) {
		return s.Code
	}
	return 0
}

// IsNotFound reports whether the host says that what was asked for does not exist.
func IsNotFound(err error) bool {
	code := Code(err)
	return code == http.StatusNotFound || code == http.StatusGone
}

// Explain finds the Problem or the context's error in what a host's API client
// returns. Anything else comes from reading an answer of another form: it is
// Unreachable. Nil stays nil.
func Explain(subject string, err error) error {
	var p *gitops.Problem
	switch {
	case err == nil:
		return nil
	case errors.As(err, &p):
		return p
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return gitops.Problemf(gitops.Unreachable, "cannot read %s: %w", subject, context.DeadlineExceeded)
	}
	return gitops.Problemf(gitops.Unreachable, "cannot read the answer of %s: it is not of the API's form", subject).Do("check the api address")
}

// verb opens an error.
func (t *transport) verb(req *http.Request) string {
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return "cannot read " + t.Subject
	}
	return "cannot write to " + t.Subject
}

func (t *transport) refused(res *http.Response) error {
	s := &Status{Code: res.StatusCode, Message: tidy(message(res), secrets(res.Request))}
	p := gitops.Problemf(gitops.Unreachable, "%s: %w", t.verb(res.Request), s)
	switch {
	case limited(res):
		at, ok := retryAfter(res, t.Clock.Now())
		if !ok {
			at, ok = reset(res, t.Clock.Now())
		}
		if ok {
			until := t.exhausted(at)
			until.Err = s
			return until
		}
		return p.Do("use a token with a higher limit, or a longer requeueAfterSeconds")
	case s.Code == http.StatusUnauthorized, s.Code == http.StatusForbidden, s.Code == http.StatusProxyAuthRequired:
		p.Kind, p.Fix = gitops.Refused, fixOr(t.Options, "check the token and what it may read")
	case s.Code == http.StatusNotFound, s.Code == http.StatusGone:
		p.Kind, p.Fix = gitops.NotFound, "check the name, and that the token may see it"
	case s.Code < http.StatusInternalServerError && s.Code != http.StatusRequestTimeout:
		p.Kind = gitops.Invalid
	}
	return p
}

func (t *transport) broken(req *http.Request, err error) error {
	var p *gitops.Problem
	if errors.As(err, &p) {
		return p
	}
	if errors.Is(req.Context().Err(), context.Canceled) {
		return context.Canceled
	}
	text := err.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		text = fmt.Sprintf("no answer within %s", t.Timeout.Round(time.Millisecond))
	}
	p = gitops.Problemf(gitops.Unreachable, "%s: %s", t.verb(req), tidy(text, secrets(req)))
	p.Err = err
	if untrusted(err) {
		p.Err = errors.Join(ErrUntrusted, err)
		p.Fix = "name the server's certificate authority in caRef"
	}
	return p
}

// untrusted reports whether the server's certificate is the reason.
func untrusted(err error) bool {
	var (
		verify  *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	return errors.As(err, &verify) || errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid)
}

// tidy makes one short line of a text from outside, without the secrets.
func tidy(text string, hidden []string) string {
	// The longest first: one may be part of another, whose rest would stay.
	for _, s := range slices.SortedFunc(slices.Values(hidden), func(a, b string) int { return len(b) - len(a) }) {
		text = strings.ReplaceAll(text, s, gitops.Redacted)
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if short := []rune(text); len(short) > longestMessage {
		return string(short[:longestMessage]) + "…"
	}
	return text
}

// secrets are the texts of a request that open the host.
func secrets(req *http.Request) []string {
	if req == nil {
		return nil
	}
	var all []string
	for _, name := range []string{"Authorization", "Private-Token", "Job-Token", "X-Gitea-Otp"} {
		for _, v := range req.Header.Values(name) {
			all = append(all, split(v)...)
		}
	}
	if req.URL != nil {
		for _, name := range []string{"access_token", "private_token", "token"} {
			all = append(all, req.URL.Query()[name]...)
		}
		all = append(all, userinfo(req.URL)...)
	}
	kept := all[:0]
	for _, s := range all {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// split takes a header "Scheme credentials" apart; Basic holds name and password.
func split(v string) []string {
	_, credentials, ok := strings.Cut(v, " ")
	if !ok {
		return []string{v}
	}
	all := []string{credentials}
	if plain, err := base64.StdEncoding.DecodeString(credentials); err == nil {
		_, password, _ := strings.Cut(string(plain), ":")
		all = append(all, password)
	}
	return all
}

func userinfo(u *url.URL) []string {
	if u.User == nil {
		return nil
	}
	password, _ := u.User.Password()
	return []string{password}
}
