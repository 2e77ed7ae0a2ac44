// Package scrape answers who asks for metrics, which are for everybody who reaches them:
// few at a time, and without keeping more than their text while it is read.
//
// It does not know what is measured: that is gathered by the handler that it is given.
package scrape

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/server/backpressure"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Bounds of metrics, which are for everybody who reaches them.
const (
	// gathering is how many are gathered at a time, gatheringEach for one network.
	gathering     = 2
	gatheringEach = 1
	// turnTime is how long somebody waits for their turn.
	turnTime = 10 * time.Second
	// scrapeTime is how long somebody may take to read them.
	scrapeTime = 30 * time.Second
)

// Handler gathers metrics for few at a time, and lets go of all but their text
// before anybody reads it: gathered they take many times as much.
func Handler(gather http.Handler) http.Handler {
	turns := slots.Shares(gathering, gatheringEach)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := &answer{header: w.Header(), code: http.StatusOK}
		if err := text.take(r, turns, gather); err != nil {
			session.Later(w.Header(), turnTime)
			http.Error(w, "too many ask for metrics; try again later", http.StatusServiceUnavailable)
			return
		}
		defer backpressure.Hold(r.Context(), int64(text.body.Cap()))()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(scrapeTime)) // a recorder has none
		w.Header().Set("Content-Length", strconv.Itoa(text.body.Len()))
		w.WriteHeader(text.code)
		_, _ = w.Write(text.body.Bytes()) // after an error the client has gone
	})
}

// answer is one that is kept until it is whole.
type answer struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

// take gathers when it is the turn of who asks.
func (a *answer) take(r *http.Request, turns *slots.Slots, gather http.Handler) error {
	ctx, cancel := context.WithTimeout(r.Context(), turnTime)
	defer cancel()
	who, err := turns.Take(ctx, slots.Of(origin.Network(r.RemoteAddr)))
	if err != nil {
		return err
	}
	defer turns.Give(who)
	gather.ServeHTTP(a, r)
	return nil
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) { a.code = code }

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }
