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
	"github.com/causeway-gitops/causeway/internal/server/backpressure"
	"github.com/causeway-gitops/causeway/internal/server/stream"
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
		if errors.As(httpError(s.reach.Known(ctx.Context())), &e) {
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

// partSize is about how much of the changes one event has, in bytes: an event is
// encoded as a whole before it is sent.
const partSize = 32 << 10

// deliver sends changes, which are held until they are read. Whoever leaves before
// the last part goes on from where the changes begin.
func deliver(ctx context.Context, send sse.Sender, d view.Delta, from, to view.Moment) error {
	defer backpressure.Hold(ctx, d.Weight())()
	all := parts(d)
	for i, part := range all {
		at := from
		if i == len(all)-1 {
			at = to
		}
		if err := send(message(at, part)); err != nil {
			return err
		}
	}
	return nil
}

func message(at view.Moment, data any) sse.Message {
	return sse.Message{ID: int(at), Data: data} //nolint:gosec // far below the bound of int
}

// parts cuts changes into some that take no more than partSize, or are of one row.
func parts(d view.Delta) []view.Delta {
	out := []view.Delta{{}}
	size := int64(0)
	for _, row := range d.Changed {
		if size += row.Weight(); size > partSize && len(out[len(out)-1].Changed) > 0 {
			out, size = append(out, view.Delta{}), row.Weight()
		}
		last := &out[len(out)-1]
		last.Changed = append(last.Changed, row)
	}
	for _, key := range d.Gone {
		if size += key.Weight(); size > partSize && len(out[len(out)-1].Changed)+len(out[len(out)-1].Gone) > 0 {
			out, size = append(out, view.Delta{}), key.Weight()
		}
		last := &out[len(out)-1]
		last.Gone = append(last.Gone, key)
	}
	return out
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
		from := at.Moment
		at.Version, at.Moment = d.Version, max(at.Moment, d.Moment)
		if !ok {
			at = s.Index.Begin()
		}
		switch {
		case !ok || (first && !known):
			err = send(message(at.Moment, Reset{Version: numberOf(at.Moment)}))
		case len(d.Changed)+len(d.Gone) > 0:
			err = deliver(ctx, send, d, from, at.Moment)
		case first:
			err = send(message(at.Moment, Beat{})) // the answer has begun
		}
		if err != nil {
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
