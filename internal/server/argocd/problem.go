package argocd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/trail"
)

// code is one of gRPC's, which Argo CD's answers carry.
type code int

// The codes that are answered with.
const (
	invalid         code = 3
	deadline        code = 4
	notFound        code = 5
	denied          code = 7
	exhausted       code = 8
	precondition    code = 9
	unimplemented   code = 12
	internal        code = 13
	unavailable     code = 14
	unauthenticated code = 16
)

// statuses are those that Argo CD's gateway gives the codes.
var statuses = map[code]int{
	invalid: http.StatusBadRequest, deadline: http.StatusGatewayTimeout, notFound: http.StatusNotFound, denied: http.StatusForbidden,
	exhausted: http.StatusTooManyRequests, precondition: http.StatusBadRequest, unimplemented: http.StatusNotImplemented,
	internal: http.StatusInternalServerError, unavailable: http.StatusServiceUnavailable, unauthenticated: http.StatusUnauthorized,
}

// codes of what the stages say.
var codes = map[gitops.ProblemKind]code{
	gitops.Invalid: invalid, gitops.NotFound: notFound, gitops.Unreachable: unavailable, gitops.Refused: unauthenticated,
	gitops.Forbidden: denied, gitops.NotReady: precondition, gitops.NotMirrored: unavailable,
}

// problem is an error with its code.
type problem struct {
	code code
	text string
	// wait is when to come again; zero where that is of no use, or nobody knows.
	wait time.Duration
	// cause is for the log alone.
	cause error
}

func (p *problem) Error() string { return p.text }

func problemf(c code, format string, args ...any) error {
	return &problem{code: c, text: fmt.Sprintf(format, args...)}
}

// errDenied is all that is told of what somebody may not read, or is not there.
var errDenied = &problem{code: denied, text: "permission denied"}

// problemOf turns an error into what is answered. What nobody foresaw is not shown:
// its text may name what the reader may not know.
func problemOf(err error) *problem {
	var known *problem
	var stage *gitops.Problem
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &reach.Hidden{}):
		return errDenied
	case errors.As(err, &known):
		return known
	case errors.As(err, &trail.Untold{}):
		return &problem{code: unavailable, text: err.Error(), wait: trail.Wait}
	case errors.As(err, &stage):
		return staged(stage)
	case errors.As(err, &large):
		return &problem{code: invalid, text: fmt.Sprintf("the body has more than %d bytes", large.Limit)}
	case errors.Is(err, session.ErrBusy):
		return &problem{code: exhausted, text: err.Error(), wait: session.WaitOf(err)}
	case errors.Is(err, context.Canceled): // nobody is there to read it
		return &problem{code: unavailable, text: "the request was given up before it was answered", wait: awayWait}
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{code: deadline, text: "there was no answer in time; try again"}
	}
	return &problem{code: internal, text: "the server could not do that; its log says why", cause: err}
}

// staged is what a stage says.
func staged(p *gitops.Problem) *problem {
	out := &problem{code: codes[p.Kind], text: p.Error()}
	if out.code == unavailable {
		out.wait = awayWait
	}
	return out
}

// looked is an error of a look at a cluster or a repository. That those refuse
// the engine is nothing that a sign-in or a right of the sender would change.
func looked(err error) error {
	var p *gitops.Problem
	if errors.As(err, &p) && (p.Kind == gitops.Refused || p.Kind == gitops.Forbidden) && !errors.As(err, &reach.Barred{}) {
		return &problem{code: precondition, text: p.Error()}
	}
	return err
}

// refuse answers with an error, and writes to the log what nobody foresaw.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p.cause != nil {
		s.Log.ErrorContext(r.Context(), "a request could not be answered", "operation", r.Pattern, "error", p.cause)
	}
	refuse(w, p)
}

func refuse(w http.ResponseWriter, err error) {
	p := problemOf(err)
	header(w, "application/json")
	if p.wait > 0 {
		session.Later(w.Header(), p.wait)
	}
	w.WriteHeader(statuses[p.code])
	_ = json.NewEncoder(w).Encode(struct { //nolint:errchkjson // texts and a number; after an error the client has gone
		Error   string `json:"error"`
		Code    code   `json:"code"`
		Message string `json:"message"`
	}{p.text, p.code, p.text})
}

// Refuse answers a request whose sender is not known by what they sent.
func Refuse(w http.ResponseWriter, _ *http.Request, err error) {
	if errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrForged) || gitops.IsProblem(err, gitops.Unreachable) {
		refuse(w, err) // who they are may be right
		return
	}
	refuse(w, &problem{code: unauthenticated, text: err.Error()})
}
