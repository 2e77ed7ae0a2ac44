package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/sse"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/stream"
	"github.com/causeway-gitops/causeway/internal/server/unread"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Pauses of a stream.
const (
	// together is how long changes are gathered: a page cannot show more than
	// so many pictures a second.
	together = 200 * time.Millisecond
	// maxFollows bounds how many there are, and followsEach how many one person
	// has: tabs, and what all who share an account have open.
	maxFollows  = 2000
	followsEach = 200
)

// Reset tells that too much has happened: read the lists anew.
type Reset struct {
	Version string `json:"version"`
}

// Beat is sent when there is nothing else.
type Beat struct{}

type followInput struct {
	// Last is what the browser sends when it comes back.
	Last string `header:"Last-Event-ID" maxLength:"32" doc:"Go on after this event."`
	From string `query:"from" maxLength:"32" doc:"The same, for the first request."`
}

func (s *server) events(a huma.API) {
	places := stream.NewSlots(maxFollows, followsEach)
	op := operation("follow-changes", http.MethodGet, "/events", "events", "Changes of Applications, as they happen")
	op.Description = "Server-sent events. Each has the identifier to go on from; `reset` tells that what happened since is no longer known, and lists have to be read anew."
	op.Middlewares = huma.Middlewares{s.onlyReaders(a), placed(a, places)}
	sse.Register(a, op, map[string]any{"applications": view.Delta{}, "reset": Reset{}, "beat": Beat{}}, func(ctx context.Context, in *followInput, send sse.Sender) {
		s.follow(ctx, in, send)
	})
}

// onlyReaders refuses a stream before it begins: after that there is no way to
// say why.
func (s *server) onlyReaders(a huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		var e huma.StatusError
		if errors.As(told(s.reach.Known(ctx.Context())), &e) {
			_ = huma.WriteErr(a, ctx, e.GetStatus(), sentence(e))
			return
		}
		next(ctx)
	}
}

// placed lets a stream begin where there is a place for it.
func placed(a huma.API, places *stream.Slots) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		free, ok := places.Take(auth.Asker(ctx.Context()))
		if !ok {
			ctx.SetHeader("Retry-After", strconv.Itoa(int(streamsWait/time.Second)))
			_ = huma.WriteErr(a, ctx, http.StatusTooManyRequests, fmt.Sprintf("%d streams of changes are open already, or %d by you; close some, or try again later", maxFollows, followsEach))
			return
		}
		defer free()
		r, w := humago.Unwrap(ctx)
		next(humago.NewContext(ctx.Operation(), r, stream.AnswerTo(w)))
	}
}

// rowSize is about what a change takes in an event, in bytes.
const rowSize = 1 << 10

// deliver sends an event of so many changes, which is held until it is read.
func deliver(ctx context.Context, send sse.Sender, m sse.Message, changes int) error {
	defer unread.Hold(ctx, int64(changes)*rowSize)()
	return send(m)
}

func (s *server) follow(ctx context.Context, in *followInput, send sse.Sender) {
	ctx, cancel := context.WithTimeout(ctx, stream.Life)
	defer cancel()
	at, known, err := s.begin(ctx, in)
	if err != nil {
		return
	}
	for first := true; ctx.Err() == nil; first = false {
		bell := s.Index.Bell()
		visible, err := s.reach.Visible(ctx)
		if err != nil {
			return
		}
		d, ok := s.Index.Since(at.Version, visible)
		at.Version, at.Moment = d.Version, max(at.Moment, d.Moment)
		if !ok {
			at = s.Index.Begin()
		}
		m := sse.Message{ID: int(at.Moment), Data: d} //nolint:gosec // far below the bound of int
		switch {
		case !ok || (first && !known):
			m.Data = Reset{Version: numberOf(at.Moment)}
		case len(d.Changed)+len(d.Gone) == 0 && first:
			m.Data = Beat{} // the answer has begun
		case len(d.Changed)+len(d.Gone) == 0:
			m.Data = nil
		}
		if m.Data != nil && deliver(ctx, send, m, len(d.Changed)) != nil {
			return
		}
		if !s.wait(ctx, bell, send) {
			return
		}
	}
}

// begin is where a stream goes on; not known for one that begins, also where it is
// not known any more what has changed since.
func (s *server) begin(ctx context.Context, in *followInput) (at view.Place, known bool, err error) {
	text := in.Last
	if text == "" {
		text = in.From
	}
	if moment, err := strconv.ParseUint(text, 10, 64); err == nil {
		at.Moment = view.Moment(moment)
		at.Version, known = s.Index.At(at.Moment)
	}
	if !known {
		at, err = s.reach.Place(ctx)
	}
	return at, known, err
}

// wait waits for changes, and a little longer for more of them. It is false
// when the reader has gone.
func (s *server) wait(ctx context.Context, bell <-chan struct{}, send sse.Sender) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-bell:
			return pause(ctx, together)
		case <-time.After(stream.Beat):
			if send.Data(Beat{}) != nil {
				return false
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
