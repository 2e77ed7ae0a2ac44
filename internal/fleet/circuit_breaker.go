package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of what a cluster may cost that is slow or half broken.
const (
	// maxInFlight are requests at a time, without those that last.
	maxInFlight = 200
	// beginPatience is how long an answer may take to begin.
	beginPatience = 60 * time.Second
	// suspicious is after how long the cluster is probed, besides.
	suspicious = 5 * time.Second
	// manyFailures in a row close the gate, whatever probes say.
	manyFailures = 5
)

// gate lets the requests to a cluster through, while it answers. When too many
// in a row have no answer it closes: those that wait end at once, and new ones
// are refused until a probe has an answer. After that one failure is enough to
// close it again, until a request has succeeded.
type gate struct {
	next     http.RoundTripper
	link     *link
	slots    chan struct{}
	patience time.Duration
}

// probing marks the context of requests that a closed gate lets through.
type probing struct{}

// Past returns a context whose requests do not wait at the gate and are not
// counted by it: a connection of a terminal lasts, and one that is refused says
// nothing of the cluster.
func Past(ctx context.Context) context.Context { return context.WithValue(ctx, probing{}, true) }

// downError is why a cluster is not asked; the same for as long as it does not answer.
type downError struct {
	since time.Time
	cause error
}

func (e *downError) Error() string {
	return fmt.Sprintf("no answer since %s: %v", e.since.UTC().Format(time.RFC3339), withoutURL(e.cause))
}

func (e *downError) Unwrap() error { return e.cause }

// RoundTrip implements http.RoundTripper.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Context().Value(probing{}) != nil {
		return g.next.RoundTrip(r)
	}
	life, err := g.link.enter()
	if err != nil {
		return nil, err
	}
	f := &flight{}
	if !lasts(r) {
		if err := g.take(r.Context(), life, f); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	unlink := context.AfterFunc(life, func() { cancel(context.Cause(life)) })
	f.end = append(f.end, func() { unlink() }, func() { cancel(nil) })
	late := time.AfterFunc(g.patience, func() { cancel(fmt.Errorf("no answer within %s", g.patience)) })
	doubt := time.AfterFunc(suspicious, g.link.kick)
	answer, err := g.next.RoundTrip(r.WithContext(ctx))
	late.Stop()
	doubt.Stop()
	if err != nil {
		defer f.close()
		return nil, g.judge(r.Context(), ctx, err)
	}
	g.link.answered()
	if lasts(r) {
		unlink() // a watch that is cut goes on where it was; one that is not goes on
	}
	answer.Body = &body{answer.Body, f}
	return answer, nil
}

// take waits for a free place.
func (g *gate) take(ctx, life context.Context, f *flight) error {
	select {
	case g.slots <- struct{}{}:
		f.end = append(f.end, func() { <-g.slots })
		return nil
	case <-life.Done():
		return context.Cause(life)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// judge counts an error against the cluster, unless it is the caller's doing,
// there is no credential to ask with, or the cluster answered what it may not.
func (g *gate) judge(caller, own context.Context, err error) error {
	if caller.Err() != nil {
		return err
	}
	if cause := context.Cause(own); cause != nil {
		err = cause
	}
	var p *gitops.Problem
	var down *downError // the gate has closed already
	if !errors.As(err, &p) && !errors.As(err, &down) && reply.Refusal(err) == nil {
		g.link.failed(err)
	}
	return err
}

// WrappedRoundTripper lets idle connections be closed.
func (g *gate) WrappedRoundTripper() http.RoundTripper { return g.next }

// lasts tells a request whose answer goes on for as long as it is read: a watch,
// and a log, also one that is not followed. How fast somebody reads it is no
// reason for a sync to wait; who reads logs bounds how many there are.
func lasts(r *http.Request) bool {
	q := r.URL.Query()
	return q.Has("watch") || q.Has("follow") || isLog(r.URL.Path)
}

// isLog tells …/namespaces/NAMESPACE/pods/NAME/log, below whichever path the
// cluster's address has.
func isLog(path string) bool {
	const deep = 5
	parts := strings.Split(path, "/")
	if len(parts) < deep {
		return false
	}
	end := parts[len(parts)-deep:]
	return end[0] == "namespaces" && end[2] == "pods" && end[4] == "log"
}

// flight is what a request holds.
type flight struct {
	once sync.Once
	end  []func()
}

func (f *flight) close() {
	f.once.Do(func() {
		for _, end := range f.end {
			end()
		}
	})
}

// body gives back what its request holds when it has been read.
type body struct {
	io.ReadCloser
	flight *flight
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.flight.close()
	}
	return n, err
}

func (b *body) Close() error {
	defer b.flight.close()
	return b.ReadCloser.Close()
}
