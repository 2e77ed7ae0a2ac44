package session

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/trail"
)

// atOnce bounds the memory that checks of passwords take, of which one network,
// and one site, has half.
const atOnce = 2

// ErrBusy asks to come back later.
var ErrBusy = errors.New("too many tries; wait a little")

// Unknown is what the audit says of a name that nobody has: passwords are
// typed there by mistake.
const Unknown = "(unknown)"

var mail = regexp.MustCompile(`^[\w.+-]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}$`)

// Door lets people in.
type Door struct {
	gate    *Gate
	guesses *guesses
	hashing *origin.Places
}

// NewDoor makes one that counts tries from now on.
func NewDoor(g *Gate) *Door {
	share := origin.Share{All: atOnce, Site: atOnce / 2, Network: atOnce / 2} //nolint:mnd // half of them
	return &Door{gate: g, guesses: newGuesses(), hashing: origin.NewPlaces(share, g.Known)}
}

// SignIn proves a password and begins a session. From is the sender's address.
func (d *Door) SignIn(ctx context.Context, from, name, password string) (*auth.User, string, error) {
	trail.As(ctx, d.named(name), auth.Local)
	u, err := d.prove(ctx, from, name, password)
	if err != nil {
		return nil, "", err
	}
	text, err := d.gate.begin(u, u.Began)
	return u, text, err
}

// Renew begins a session of somebody who has just proved who they are, and set
// a password, since when their sessions begin.
func (d *Door) Renew(u *auth.User, since time.Time) (string, error) { return d.gate.begin(u, since) }

// Vouch proves the password of somebody who is signed in.
func (d *Door) Vouch(ctx context.Context, from, name, password string) error {
	_, err := d.prove(ctx, from, name, password)
	if gitops.IsProblem(err, gitops.Refused) {
		return errNotTheirs // they are somebody still
	}
	return err
}

var errNotTheirs = gitops.Problemf(gitops.Forbidden, "your own password is another one").Do("enter the password that you sign in with")

// prove tries a password, as often as one may.
func (d *Door) prove(ctx context.Context, from, name, password string) (*auth.User, error) {
	right, err := d.guesses.begin(from, name)
	if err != nil {
		return nil, err
	}
	give, err := d.hashing.Take(ctx, from)
	if err != nil {
		return nil, ErrBusy
	}
	defer give()
	u, err := d.gate.Accounts.Verify(ctx, name, password)
	if err != nil {
		return nil, err
	}
	right()
	d.gate.Known.Add(from)
	u.Via = auth.Local
	return u, nil
}

// named is how the audit names who tries to sign in: as an account, or an
// address of mail, which is the name of people whom an issuer knows.
func (d *Door) named(typed string) string {
	if d.gate.Accounts.Known(typed) || mail.MatchString(typed) {
		return typed
	}
	return Unknown
}

// Keep hands a session to the browser, for as long as it lasts.
func (d *Door) Keep(w http.ResponseWriter, r *http.Request, text string) error {
	return d.gate.keep(w, r, text)
}

func (g *Gate) keep(w http.ResponseWriter, r *http.Request, text string) error {
	if !writeCookie(w, text, g.life(), secure(r)) {
		return errors.New("cannot keep the session in cookies: the token is too long; let the issuer send fewer groups")
	}
	return nil
}

// SignOut ends the session of a request, wherever else its token is. It returns
// where the browser goes to end that with the issuer, too; empty for nowhere.
// The browser has no session then even where the error says that its token may
// still count. A token that is no session goes on, which is an error for who
// comes with one.
func (d *Door) SignOut(w http.ResponseWriter, r *http.Request) (string, error) {
	text, ok := bearer(r)
	if !ok {
		text = readCookie(r)
	}
	writeCookie(w, "", 0, secure(r))
	t, err := d.gate.Signer.Read(text)
	if ok && auth.From(r.Context()) != nil && (err != nil || t.APIKey) {
		return "", ErrNoSession
	}
	if err != nil {
		return "", nil //nolint:nilerr // what is no session has ended
	}
	if d.gate.Endings != nil && !t.APIKey && !errors.Is(d.gate.goesOn(t), ErrEnded) {
		err = d.gate.Endings.End(r.Context(), t)
	}
	if t.User.Via != auth.OIDC || d.gate.Issuers == nil {
		return "", err
	}
	issuer, problem := d.gate.Issuers.Current(r.Context())
	if problem != nil || issuer == nil {
		return "", err // the settings have changed since
	}
	base := issuer.Config.Base(r.Host)
	writeID(w, "", base, 0)
	return issuer.Config.Leave(base, readOne(r, idName, base)), err
}
