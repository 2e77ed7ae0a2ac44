package terminal

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/stream"
)

// Reason is why a terminal ended, in a word.
type Reason string

// The reasons.
const (
	// Exited: the shell ended by itself; Code says how.
	Exited Reason = "exit"
	// Left: the browser has gone.
	Left Reason = "left"
	// WasIdle: nothing was typed for long; TooLong: it was open for long.
	WasIdle Reason = "idle"
	TooLong Reason = "long"
	// NoRight: who opened it may no longer, or their session has ended.
	NoRight Reason = "rights"
	// Stopped: the server stops.
	Stopped Reason = "stop"
	// Gone: the pod or its container is no longer there.
	Gone Reason = "gone"
	// Failed: the shell could not be opened, or was lost.
	Failed Reason = "failed"
)

// End is how a terminal ended.
type End struct {
	Reason  Reason `json:"reason"`
	Code    int    `json:"code"`
	Message string `json:"message"`

	// Shell is the one there was; empty for none. Lasted is how long.
	Shell  string        `json:"-"`
	Lasted time.Duration `json:"-"`
}

// Error implements error: it is the cause of a context's end.
func (e *End) Error() string { return e.Message }

// Visit is a terminal that somebody may open.
type Visit struct {
	Shell Shell
	First Size
	// Still tells why they may no longer; an error that wraps ErrUnsure where
	// nobody could be asked.
	Still func(ctx context.Context) error
}

// Join makes a terminal of a request until it ends. The error is that of a
// request which is no WebSocket; it is answered then.
func (d *Desk) Join(w http.ResponseWriter, r *http.Request, v Visit) (*End, error) {
	line, err := upgrade(w, r)
	if err != nil {
		return nil, err
	}
	s := &session{Visit: v, wire: line, clock: d.clock, begun: d.clock.Now(), input: NewInput(), sizes: NewSizes(v.First)}
	s.typed()
	end := s.run(r.Context())
	end.Lasted = d.clock.Now().Sub(s.begun)
	return end, nil
}

// session is a terminal that is open.
type session struct {
	Visit

	wire  *wire
	clock Clock
	begun time.Time
	// touched is when something was typed, as nanoseconds.
	touched atomic.Int64
	shell   atomic.Pointer[string]
	input   *Input
	sizes   *Sizes
	misses  int
}

func (s *session) typed() { s.touched.Store(s.clock.Now().UnixNano()) }

func (s *session) run(ctx context.Context) *End {
	ctx, end := context.WithCancelCause(ctx)
	var parts sync.WaitGroup
	part := func(do func() error) {
		parts.Go(func() {
			if err := crew.Safely(do); err != nil {
				end(err)
			}
		})
	}
	part(func() error { return s.talk(ctx) })
	part(func() error { s.watch(ctx, end); return nil })
	part(func() error {
		err := s.wire.read(ctx, s.input, s.sizes, s.typed)
		return &End{Reason: Left, Message: "the browser has gone: " + err.Error()}
	})
	<-ctx.Done()
	last := endOf(context.Cause(ctx))
	if shell := s.shell.Load(); shell != nil {
		last.Shell = *shell
	}
	s.wire.close(last)
	parts.Wait()
	return last
}

// endOf is the end that ended a context: another cause is that of the server.
func endOf(cause error) *End {
	var end *End
	if errors.As(cause, &end) {
		return end
	}
	var broke *crew.Panic
	if errors.As(cause, &broke) {
		return &End{Reason: Failed, Message: broke.Error()}
	}
	return &End{Reason: Stopped, Message: "the server stops or starts again; connect again in a moment"}
}

// talk runs the shell.
func (s *session) talk(ctx context.Context) error {
	err := s.Shell.Run(ctx, Streams{In: s.input, Out: s.wire, Sizes: s.sizes, Opened: func(shell string) {
		s.shell.Store(&shell)
		_ = s.wire.tell(control{Opened: &opened{shell}}) // who has gone is noticed by who reads
	}})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var exit *Exit
	switch {
	case err == nil:
		return &End{Reason: Exited, Message: "the shell exited with code 0"}
	case errors.As(err, &exit):
		return &End{Reason: Exited, Code: exit.Code, Message: "the shell exited: " + err.Error()}
	case errors.Is(err, ErrGone):
		return &End{Reason: Gone, Message: err.Error()}
	}
	return &End{Reason: Failed, Message: brief(err)}
}

// brief keeps what is told to a browser within bounds.
func brief(err error) string {
	return gitops.First(err.Error(), maxControl-len("…"))
}

// watch ends the session when its time has come.
func (s *session) watch(ctx context.Context, end context.CancelCauseFunc) {
	ticks, stop := s.clock.Ticks()
	defer stop()
	beats := time.NewTicker(stream.Beat)
	defer beats.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beats.C:
			if s.wire.beat() != nil {
				end(&End{Reason: Left, Message: "the browser has gone"})
			}
		case now := <-ticks:
			if why := s.due(ctx, now); why != nil {
				end(why)
			}
		}
	}
}

// due is why a session ends at a time; nil where it goes on.
func (s *session) due(ctx context.Context, now time.Time) error {
	switch {
	case now.Sub(s.begun) >= Longest:
		return &End{Reason: TooLong, Message: "a terminal ends after " + Longest.String()}
	case now.Sub(time.Unix(0, s.touched.Load())) >= Idle:
		return &End{Reason: WasIdle, Message: "nothing was typed for " + Idle.String()}
	}
	return s.asked(ctx)
}

// asked is what those say who know of the person and of the container.
func (s *session) asked(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var unsure error
	for _, ask := range []func(context.Context) error{s.Still, s.Shell.Check} {
		err := ask(ctx)
		switch {
		case err == nil:
		case errors.Is(err, ErrUnsure):
			unsure = err
		case errors.Is(err, ErrGone):
			return &End{Reason: Gone, Message: brief(err)}
		default:
			return &End{Reason: NoRight, Message: brief(err)}
		}
	}
	if unsure == nil {
		s.misses = 0
		return nil
	}
	if s.misses++; s.misses < mostMisses {
		return nil // it may be over in a moment
	}
	return &End{Reason: NoRight, Message: "nobody could be asked for a while whether you still may: " + brief(unsure)}
}
