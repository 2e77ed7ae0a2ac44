package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/store"
)

// statuses of what the stages say.
var statuses = map[gitops.ProblemKind]int{
	gitops.Invalid: http.StatusUnprocessableEntity, gitops.NotFound: http.StatusNotFound, gitops.Unreachable: http.StatusBadGateway,
	gitops.Refused: http.StatusUnauthorized, gitops.Forbidden: http.StatusForbidden, gitops.NotReady: http.StatusConflict, gitops.NotMirrored: http.StatusBadGateway,
}

// How long to wait for what others have: for a place among looks and streams,
// for the end of a batch, and for the next process.
const (
	looksWait   = 2 * time.Second
	streamsWait = 15 * time.Second
	batchWait   = 5 * time.Second
	closedWait  = 5 * time.Second
)

// later is an answer that says when to come again.
func later(code int, text string, wait time.Duration) error {
	h := http.Header{}
	session.Later(h, wait)
	return huma.ErrorWithHeaders(huma.NewError(code, text), h)
}

// httpError turns an error into an answer. What nobody foresaw is not shown: its
// text may name what the reader may not know.
func httpError(err error) error {
	var p *gitops.Problem
	var already huma.StatusError
	var unfit *Unfit
	switch {
	case err == nil:
		return nil
	case errors.As(err, &already):
		return err
	case errors.As(err, &trail.Untold{}):
		return later(http.StatusServiceUnavailable, err.Error(), trail.Wait)
	case errors.Is(err, batch.ErrClosed):
		return later(http.StatusServiceUnavailable, err.Error(), closedWait)
	case errors.Is(err, batch.ErrBusy):
		return later(http.StatusTooManyRequests, err.Error(), batchWait)
	case errors.Is(err, store.ErrBusy):
		return later(http.StatusTooManyRequests, err.Error(), looksWait)
	case errors.As(err, &unfit):
		return unfit.answer()
	case errors.As(err, &p):
		return huma.NewError(statuses[p.Kind], p.Error())
	case errors.Is(err, session.ErrBusy):
		return later(http.StatusTooManyRequests, err.Error(), session.WaitOf(err))
	case errors.Is(err, context.Canceled): // nobody is there to read it
		return later(http.StatusServiceUnavailable, "the request was given up before it was answered", closedWait)
	case errors.Is(err, context.DeadlineExceeded):
		return huma.NewError(http.StatusGatewayTimeout, "the cluster did not answer in time; try again")
	}
	return &unforeseen{&huma.ErrorModel{
		Title: http.StatusText(http.StatusInternalServerError), Status: http.StatusInternalServerError, Detail: "the server could not do that; its log says why",
	}, err}
}

// unforeseen is an error whose cause is for the log alone.
type unforeseen struct {
	*huma.ErrorModel

	cause error
}

// Unwrap returns what is shown.
func (u *unforeseen) Unwrap() error { return u.ErrorModel }

// logged writes the causes of errors that nobody foresaw.
func logged(log *slog.Logger) huma.Transformer {
	return func(ctx huma.Context, _ string, v any) (any, error) {
		if u, ok := v.(*unforeseen); ok {
			log.ErrorContext(ctx.Context(), "a request could not be answered", "operation", ctx.Operation().OperationID, "error", u.cause)
			return u.ErrorModel, nil
		}
		return v, nil
	}
}

// asJSON says what to send instead of a body of another type: curl -d has one of
// its own.
func asJSON(_ huma.Context, _ string, v any) (any, error) {
	if m, ok := v.(*huma.ErrorModel); ok && m.Status == http.StatusUnsupportedMediaType {
		m.Detail = "a body of this type is not read: send JSON, with the header Content-Type: application/json"
	}
	return v, nil
}

// Refuse answers a request whose sender is not known by what they sent.
func Refuse(w http.ResponseWriter, _ *http.Request, err error) {
	code := http.StatusUnauthorized
	var p *gitops.Problem
	switch {
	case errors.As(err, &p) && p.Kind == gitops.Unreachable:
		code = statuses[p.Kind] // the token may be good
	case errors.Is(err, session.ErrForged):
		code = http.StatusForbidden // another sign-in would not change it
	case errors.Is(err, session.ErrBusy):
		code = http.StatusTooManyRequests
		session.Later(w.Header(), session.WaitOf(err))
	}
	refuse(w, code, err.Error())
}
