package fleet

import (
	"context"
	"net/http"
)

// mortal ends requests, and what is read of their answers, with a life: who
// sends them has no context to end them by.
type mortal struct {
	next http.RoundTripper
	life context.Context //nolint:containedctx // that of the cluster
}

// RoundTrip implements http.RoundTripper.
func (m *mortal) RoundTrip(r *http.Request) (*http.Response, error) {
	if m.life.Err() != nil {
		return nil, context.Cause(m.life)
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	unlink := context.AfterFunc(m.life, func() { cancel(context.Cause(m.life)) })
	f := &flight{end: []func(){func() { unlink() }, func() { cancel(nil) }}}
	answer, err := m.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		f.close()
		return nil, err
	}
	answer.Body = &body{answer.Body, f}
	return answer, nil
}

// WrappedRoundTripper lets idle connections be closed.
func (m *mortal) WrappedRoundTripper() http.RoundTripper { return m.next }
