package app

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
	// scrapeTime is how long somebody may take to read them.
	scrapeTime = 30 * time.Second
)

// scraped gathers metrics for few at a time, and lets go of all but their text
// before anybody reads it: gathered they take many times as much.
func scraped(gather http.Handler) http.Handler {
	turns := slots.Shares(gathering, gatheringEach)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := &scrape{header: w.Header(), code: http.StatusOK}
		if err := text.take(r, turns, gather); err != nil {
			session.Later(w.Header(), readTime)
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

// scrape is an answer that is kept until it is whole.
type scrape struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

// take gathers when it is the turn of who asks.
func (s *scrape) take(r *http.Request, turns *slots.Slots, gather http.Handler) error {
	ctx, cancel := context.WithTimeout(r.Context(), readTime)
	defer cancel()
	who, err := turns.Take(ctx, slots.Of(origin.Network(r.RemoteAddr)))
	if err != nil {
		return err
	}
	defer turns.Give(who)
	gather.ServeHTTP(s, r)
	return nil
}

// Header implements http.ResponseWriter.
func (s *scrape) Header() http.Header { return s.header }

// WriteHeader implements http.ResponseWriter.
func (s *scrape) WriteHeader(code int) { s.code = code }

// Write implements http.ResponseWriter.
func (s *scrape) Write(p []byte) (int, error) { return s.body.Write(p) }
