package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// TestErrorsAreAnswered with what a program can act on: whose fault it is, and when to come again; of what nobody foresaw
// nothing is told.
func TestErrorsAreAnswered(t *testing.T) {
	away := gitops.Problemf(gitops.Unreachable, "the hub is away")
	unfit := &Unfit{}
	unfit.Add("secrets.password", "is too short")
	for name, tc := range map[string]struct {
		reason string
		err    error
		status int
		again  bool
		says   string
	}{
		"Invalid":    {"what was asked for cannot be", gitops.Problemf(gitops.Invalid, "no such revision"), http.StatusUnprocessableEntity, false, "no such revision"},
		"NotFound":   {"it is not there", gitops.Problemf(gitops.NotFound, "no cluster"), http.StatusNotFound, false, "no cluster"},
		"Away":       {"somebody else does not answer", fmt.Errorf("cannot look: %w", away), http.StatusBadGateway, false, "the hub is away"},
		"Refused":    {"who asks is not known", gitops.Problemf(gitops.Refused, "the key expired"), http.StatusUnauthorized, false, "the key expired"},
		"Forbidden":  {"who asks may not", gitops.Problemf(gitops.Forbidden, "you may not"), http.StatusForbidden, false, "you may not"},
		"NotReady":   {"it may work after something else", gitops.Problemf(gitops.NotReady, "a sync runs"), http.StatusConflict, false, "a sync runs"},
		"NoMirror":   {"nothing is fetched here", gitops.Problemf(gitops.NotMirrored, "no mirror"), http.StatusBadGateway, false, "no mirror"},
		"Unfit":      {"a field does not fit", fmt.Errorf("cannot write: %w", unfit), http.StatusUnprocessableEntity, false, "secrets.password: is too short"},
		"Answered":   {"it is an answer already", huma.NewError(http.StatusTeapot, "short and stout"), http.StatusTeapot, false, "short and stout"},
		"Audit":      {"what the audit does not take is not done, whyever", auditAway(t), http.StatusServiceUnavailable, true, "the store is away"},
		"Closed":     {"the server stops", batch.ErrClosed, http.StatusServiceUnavailable, true, batch.ErrClosed.Error()},
		"Batches":    {"there are too many of them", fmt.Errorf("cannot begin: %w", batch.ErrBusy), http.StatusTooManyRequests, true, ""},
		"Looks":      {"there are too many looks into the history", store.ErrBusy, http.StatusTooManyRequests, true, ""},
		"Sessions":   {"somebody asks too often", session.ErrBusy, http.StatusTooManyRequests, true, ""},
		"Left":       {"who asked has gone", context.Canceled, http.StatusServiceUnavailable, true, "given up"},
		"Slow":       {"a cluster took too long", fmt.Errorf("get pods: %w", context.DeadlineExceeded), http.StatusGatewayTimeout, false, "did not answer in time"},
		"Unforeseen": {"its text may name what nobody may know", errors.New("dial tcp 10.0.0.7: password hunter2"), http.StatusInternalServerError, false, "its log says why"},
	} {
		t.Run(name, func(t *testing.T) {
			got := httpError(tc.err)
			var status huma.StatusError
			if !errors.As(got, &status) || status.GetStatus() != tc.status || !strings.Contains(status.Error(), tc.says) || strings.Contains(status.Error(), "hunter2") {
				t.Errorf("%s: it is answered with %v", tc.reason, got)
			}
			var headers huma.HeadersError
			if again := errors.As(got, &headers) && headers.GetHeaders().Get("Retry-After") != ""; again != tc.again {
				t.Errorf("%s: it says when to come again: %t", tc.reason, again)
			}
		})
	}
	if httpError(nil) != nil {
		t.Error("no error is answered as one")
	}
}

// auditAway is what a write ends with of which the audit could not be told.
func auditAway(t *testing.T) error {
	t.Helper()
	return trail.New(awayKeeper{}, slog.New(slog.DiscardHandler)).Begin(t.Context(), &auth.User{Name: "ann", Via: auth.Local}, &audit.Entry{Verb: "create", Resource: "keys"})
}

// awayKeeper is a store that does not answer.
type awayKeeper struct{}

func (awayKeeper) Append(context.Context, *audit.Entry) (*audit.Entry, error) {
	return nil, gitops.Problemf(gitops.Unreachable, "the store is away")
}

func (awayKeeper) Note(*audit.Entry) {}
