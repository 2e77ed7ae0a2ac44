package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/intake"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// Bounds of the parameters in an address: lists have 500, of which there may be
// several.
const (
	maxParameters         = 3000
	maxParametersStranger = 20
)

// forAll marks operations that are for everybody: to sign in, one has not yet
// done so.
const forAll = "forAll"

// public is an operation for everybody, whose bodies are small.
func public(op huma.Operation) huma.Operation {
	op.Metadata = map[string]any{forAll: true}
	return op
}

// ofBodies is what is wrong with a body before anything in it is looked at.
var ofBodies = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}

// handle registers an operation: it is decoded when its handler begins.
func handle[I, O any](a huma.API, op huma.Operation, do func(context.Context, *I) (*O, error)) {
	if _, ok := reflect.TypeFor[I]().FieldByName("Body"); ok {
		op.Errors = slices.Concat(op.Errors, ofBodies)
	}
	huma.Register(a, op, func(ctx context.Context, in *I) (*O, error) {
		intake.Decoded(ctx)
		return do(ctx, in)
	})
}

// enter decides who asks before anything of a request is decoded, and reads its
// body within bounds.
func (s *server) enter(ctx huma.Context, next func(huma.Context)) {
	op, open := ctx.Operation(), ctx.Operation().Metadata[forAll] != nil
	r, w := humago.Unwrap(ctx)
	if auth.From(ctx.Context()) == nil && !open {
		if err := s.reach.Known(ctx.Context()); err != nil {
			s.refuse(ctx, err)
			return
		}
	}
	if most := parametersOf(open); strings.Count(r.URL.RawQuery, "&") >= most {
		s.refuse(ctx, huma.NewError(http.StatusUnprocessableEntity, fmt.Sprintf("the address has more than %d parameters", most)))
		return
	}
	if op.RequestBody == nil {
		next(ctx)
		return
	}
	end, err := s.take(w, r, open)
	if err != nil {
		s.refuse(ctx, err)
		return
	}
	defer end()
	decoded, err := s.Bodies.Decode(ctx.Context())
	if err != nil {
		s.refuse(ctx, err)
		return
	}
	defer decoded()
	next(huma.WithContext(ctx, intake.With(context.WithValue(ctx.Context(), askedKey{}, r), decoded)))
}

// askedKey is that of the request itself in the context of one with a body.
type askedKey struct{}

// sender tells why a request is no longer of who sent it, as long as what it began
// goes on: the session, the key or the token may have ended. Where nobody can be
// asked they are believed.
func (s *server) sender(ctx context.Context, u *auth.User) func(context.Context) error {
	r, _ := ctx.Value(askedKey{}).(*http.Request)
	if r == nil || s.Identify == nil {
		return func(context.Context) error { return nil }
	}
	r = r.Clone(context.WithoutCancel(ctx))
	r.Body = nil
	return func(ctx context.Context) error {
		now, err := s.Identify(r.WithContext(ctx))
		if session.Unsure(err) || err == nil && now != nil && now.Person() == u.Person() {
			return nil
		}
		return errNoLonger
	}
}

var errNoLonger = gitops.Problemf(gitops.Refused, "your session, key or token has ended").Do("sign in, and ask for what is left")

func parametersOf(open bool) int {
	if open {
		return maxParametersStranger
	}
	return maxParameters
}

// take reads a body, for a place that it has until it is answered.
func (s *server) take(w http.ResponseWriter, r *http.Request, open bool) (end func(), err error) {
	if open {
		end, err = s.Bodies.TakeAny(w, r, origin.Sender(r))
	} else {
		end, err = s.Bodies.Take(w, r, origin.Sender(r), intake.Most)
	}
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		err = huma.NewError(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", long.Limit))
	}
	return end, err
}

// refuse answers with an error before there is a handler.
func (s *server) refuse(ctx huma.Context, err error) {
	err = httpError(err)
	var headers huma.HeadersError
	if errors.As(err, &headers) {
		for name, values := range headers.GetHeaders() {
			for _, v := range values {
				ctx.AppendHeader(name, v)
			}
		}
	}
	var unknown *unforeseen
	if errors.As(err, &unknown) {
		s.Log.ErrorContext(ctx.Context(), "a request could not be answered", "operation", ctx.Operation().OperationID, "error", unknown.cause)
	}
	code, status := http.StatusInternalServerError, huma.StatusError(nil)
	if errors.As(err, &status) {
		code = status.GetStatus()
	}
	_ = huma.WriteErr(s.api, ctx, code, err.Error()) // after an error the client has gone
}
