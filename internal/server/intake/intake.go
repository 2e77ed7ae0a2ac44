// Package intake takes the bodies of requests in: how many are in work at a time, of one person and of one address,
// how many bytes each has, and how much it may become when it is decoded. It does not know what they say, nor who may
// send them.
package intake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Bounds of one body.
const (
	// Most is what one has, in bytes.
	Most = 1 << 20
	// Stranger is what one has that anybody may send: a name and a password, each
	// sign of them escaped.
	Stranger = 16 << 10
	// heaviest is what one takes in memory when it is decoded, in bytes.
	heaviest = 4 << 20
	// readTime is how long it takes to arrive.
	readTime = 10 * time.Second
)

// Bounds of those in work at a time.
const (
	// each is how many one person has.
	each = 16
	// strangers is how many all have whom nobody knows, eachStranger those of one
	// address and eachSite those of one site. Some are kept for networks from
	// which somebody came in before.
	strangers, eachStranger, eachSite, keptStrangers = 32, 4, 12, 8
	// decoding is how many are decoded, decodingEach those of one person.
	decoding, decodingEach = 8, 2
	// waitTime is how long a place is waited for.
	waitTime = 10 * time.Second
)

// Places are where bodies are taken in.
type Places struct {
	people, decoding *slots.Slots
	strangers        *origin.Places
}

// New makes the places of all who send something. Known are the networks that
// strangers from elsewhere keep no place from; nil for none.
func New(known *origin.Known) *Places {
	share := origin.Share{All: strangers, Site: eachSite, Network: eachStranger, Kept: keptStrangers}
	return &Places{slots.Shares(math.MaxInt, each), slots.Shares(decoding, decodingEach), origin.NewPlaces(share, known)}
}

// Take reads the body of who may send it, of at most so many bytes, in a place
// that they have until end gives it back, after the answer. The places of one
// person are nobody else's; of those whom nobody knows, the address counts. The
// error is session.Busy, an *http.MaxBytesError for a body that is too long, or
// a gitops.Problem.
func (p *Places) Take(w http.ResponseWriter, r *http.Request, address string, most int64) (end func(), err error) {
	if end, err = p.begin(r.Context(), address); err != nil {
		return nil, err
	}
	if err := read(w, r, most); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// TakeAny is Take of what anybody may send. It is read before there is a place
// for it: it is no more than the headers before it, and who sends it slowly
// keeps no place meanwhile.
func (p *Places) TakeAny(w http.ResponseWriter, r *http.Request, address string) (end func(), err error) {
	if err := read(w, r, Stranger); err != nil {
		return nil, err
	}
	return p.begin(r.Context(), address)
}

func (p *Places) begin(ctx context.Context, address string) (end func(), err error) {
	if u := auth.From(ctx); u != nil {
		return take(ctx, p.people, u.Person())
	}
	bounded, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	if end, err = p.strangers.Take(bounded, address); err != nil {
		return nil, session.Busy{Wait: waitTime}
	}
	return end, nil
}

// Decode waits until a body may be decoded: as long as that takes there is far
// more of it than was sent. All strangers are one there.
func (p *Places) Decode(ctx context.Context) (end func(), err error) {
	return take(ctx, p.decoding, auth.Asker(ctx))
}

func take(ctx context.Context, of *slots.Slots, who string) (end func(), err error) {
	bounded, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	if _, err := of.Take(bounded, slots.Of(who)); err != nil {
		return nil, session.Busy{Wait: waitTime}
	}
	return sync.OnceFunc(func() { of.Give(who) }), nil
}

// read puts what was read in the place of a body.
func read(w http.ResponseWriter, r *http.Request, most int64) error {
	if r.ContentLength > most {
		return &http.MaxBytesError{Limit: most}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTime)) // a recorder has none
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return err
	case err != nil:
		return gitops.Problemf(gitops.Invalid, "the body did not arrive: %w", err).Do("send it again, in less than " + readTime.String())
	case bounded.Measured(text, bounded.Maps) > heaviest:
		return gitops.Problemf(gitops.Invalid, "the body has too many values").Do("send fewer at a time")
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return nil
}

type decodedKey struct{}

// With is a context of a request that is being decoded.
func With(ctx context.Context, end func()) context.Context {
	return context.WithValue(ctx, decodedKey{}, end)
}

// Decoded ends the decoding of a request: what waits for others in it keeps
// nobody's body out.
func Decoded(ctx context.Context) {
	if end, ok := ctx.Value(decodedKey{}).(func()); ok {
		end()
	}
}
