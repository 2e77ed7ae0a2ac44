package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

const (
	// LoginPath is where a browser begins to sign in with the issuer.
	LoginPath = "/auth/login"
	// sessionPath is the one of the API at which people sign out.
	sessionPath = "/api/v1/session"
	tlsScheme   = "https"
	// maxReturn bounds the path that somebody wants back to.
	maxReturn = 2 << 10
	// maxCookie is what browsers keep in one.
	maxCookie = 4000
)

// Codes that the issuer is asked about and does not take, of one site: anybody
// begins to sign in, and makes codes up.
const (
	codesEvery = 3 * time.Second
	codesBurst = 20
)

var errNone = errors.New("no issuer is set up here: name one in oidc.config of the ConfigMap argocd-cm")

// ErrUnusable is all that anybody learns of settings that cannot be used: what
// is wrong with them has names of Secrets.
var ErrUnusable = errors.New("nobody can sign in with the issuer: oidc.config of argocd-cm cannot be used; the server's log says why")

// Desk lets people in whom an OpenID Connect issuer knows.
type Desk struct {
	gate  *Gate
	vault *oidc.Vault
	trail *trail.Trail
	log   *slog.Logger
	codes *Tries
	// told bounds what strangers write to the log.
	told rate.Sometimes
}

// NewDesk makes one for a gate that knows issuers. The trail tells of who
// signs in, and of who cannot.
func NewDesk(g *Gate, vault *oidc.Vault, t *trail.Trail, log *slog.Logger) *Desk {
	return &Desk{
		gate: g, vault: vault, trail: t, log: log,
		codes: NewTries(rate.Every(codesEvery), codesBurst), told: rate.Sometimes{First: 10, Interval: time.Second},
	}
}

// Login sends a browser to the issuer. The query's return_url is where it
// comes back to in the end.
func (d *Desk) Login(w http.ResponseWriter, r *http.Request) {
	issuer, err := d.issuer(r.Context())
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	base := issuer.Config.Base(r.Host)
	attempt, address, err := issuer.Begin(origin.With(r.Context(), r.RemoteAddr), base, own(base, r.URL.Query().Get("return_url")))
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	sealed, err := d.vault.Seal(attempt)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	writeAttempt(w, sealed, base)
	redirect(w, address)
}

// Callback takes the issuer's answer, and begins a session.
func (d *Desk) Callback(w http.ResponseWriter, r *http.Request) {
	e := &audit.Entry{Who: audit.Who{Via: string(auth.OIDC)}, Verb: "sign-in", Resource: "session"}
	back, err := d.finish(w, r, e)
	if err != nil {
		d.trail.Failed(r.Context(), nil, e, shown(err))
		d.refuse(w, r, err)
		return
	}
	redirect(w, back)
}

// finish ends the attempt that a browser began, and returns where it wanted to.
func (d *Desk) finish(w http.ResponseWriter, r *http.Request, e *audit.Entry) (string, error) {
	issuer, err := d.issuer(r.Context())
	if err != nil {
		return "", err
	}
	attempt, err := d.vault.Open(readOne(r, attemptName, issuer.Config.Base(r.Host)), r.URL.Query().Get("state"))
	if err != nil {
		return "", err
	}
	base, err := url.Parse(attempt.Base)
	if err != nil {
		return "", err
	}
	writeAttempt(w, "", base)
	return attempt.Return, d.begin(w, r, e, issuer, attempt, base)
}

// begin begins the session of whom the issuer's answer is about. The audit
// tells of it before the browser has it.
func (d *Desk) begin(w http.ResponseWriter, r *http.Request, e *audit.Entry, issuer *oidc.Issuer, attempt *oidc.Attempt, base *url.URL) error {
	claims, id, err := d.exchange(r, issuer, attempt)
	if err != nil {
		return err
	}
	u := d.gate.Issuers.User(claims)
	e.Who.Name = u.Name
	text, err := d.gate.begin(u, time.Time{})
	if err != nil {
		return err
	}
	if err := d.trail.Begin(r.Context(), u, e); err != nil {
		return err
	}
	if err := d.gate.keep(w, r, text); err != nil {
		return gitops.Problemf(gitops.Invalid, "%w", err)
	}
	if issuer.Config.NeedsToken() && len(id) <= maxCookie {
		writeID(w, id, base, d.gate.life())
	}
	d.log.InfoContext(r.Context(), "somebody signed in with the issuer", "user", u.Name, "issuer", issuer.Config.Issuer)
	return nil
}

// exchange takes the issuer's answer, as often as one may bring one that counts
// for nothing.
func (d *Desk) exchange(r *http.Request, issuer *oidc.Issuer, attempt *oidc.Attempt) (claims oidc.Claims, id string, err error) {
	site := origin.Site(r.RemoteAddr)
	if err := d.codes.Take(site); err != nil {
		return nil, "", err
	}
	claims, id, err = issuer.Finish(origin.With(r.Context(), r.RemoteAddr), attempt, r.URL.Query())
	if err == nil {
		d.gate.Known.Add(r.RemoteAddr)
	}
	if err == nil || errors.Is(err, oidc.ErrBusy) {
		d.codes.Give(site)
	}
	return claims, id, err
}

func (d *Desk) issuer(ctx context.Context) (*oidc.Issuer, error) {
	issuer, err := d.gate.Issuers.Current(ctx)
	switch {
	case err == nil && issuer == nil:
		return nil, gitops.Problemf(gitops.NotFound, "%w", errNone)
	case errors.Is(err, oidc.ErrDex):
		return nil, gitops.Problemf(gitops.NotFound, "%w", err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return issuer, nil
}

// shown is what somebody who is not known yet may read of an error.
func shown(err error) error {
	switch {
	case errors.Is(err, ErrUnusable):
		return gitops.Problemf(gitops.NotFound, "%w", ErrUnusable)
	case errors.Is(err, oidc.ErrAway):
		return gitops.Problemf(gitops.Unreachable, "%w", oidc.ErrAway)
	case errors.Is(err, oidc.ErrBusy):
		return ErrBusy
	case errors.Is(err, oidc.ErrRefused):
		return gitops.Problemf(gitops.Refused, "%w", err)
	}
	return err
}

// refuse tells a browser why somebody cannot sign in. The log has what is not
// for everybody.
func (d *Desk) refuse(w http.ResponseWriter, r *http.Request, err error) {
	d.told.Do(func() { d.log.WarnContext(r.Context(), "somebody could not sign in with the issuer", "error", err) })
	text, code := "the server could not do that; its log says why", http.StatusInternalServerError
	var p *gitops.Problem
	switch told := shown(err); {
	case errors.Is(told, ErrBusy):
		text, code = told.Error(), http.StatusTooManyRequests
		Later(w.Header(), WaitOf(told))
	case errors.As(told, &trail.Untold{}):
		text, code = told.Error(), http.StatusServiceUnavailable
		Later(w.Header(), trail.Wait)
	case errors.As(told, &p):
		text, code = p.Error(), statuses[p.Kind]
	}
	protect(w.Header())
	http.Error(w, "cannot sign in: "+text, code)
}

var statuses = map[gitops.ProblemKind]int{
	gitops.Unreachable: http.StatusBadGateway, gitops.Refused: http.StatusUnauthorized, gitops.NotFound: http.StatusNotFound,
	gitops.Invalid: http.StatusUnprocessableEntity,
}

// protect keeps what is in these addresses from everybody else.
func protect(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

func redirect(w http.ResponseWriter, address string) {
	protect(w.Header())
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusSeeOther)
}

// own returns where somebody wants back to, as a path of the installation: its
// root in the place of anything that leads elsewhere.
func own(base *url.URL, wanted string) string {
	root := base.Path + "/"
	if len(wanted) > maxReturn || strings.Contains(wanted, "\\") {
		return root
	}
	u, err := url.Parse(wanted)
	if err != nil || u.User != nil || u.Opaque != "" {
		return root
	}
	here := u.Scheme == base.Scheme && u.Host == base.Host || u.Scheme == "" && u.Host == ""
	// An escaped slash at the beginning is one to the parser, not to a browser.
	if !here || !strings.HasPrefix(u.EscapedPath(), "/") || strings.HasPrefix(u.Path, "//") {
		return root
	}
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery, Fragment: u.Fragment, RawFragment: u.RawFragment}).String()
}
