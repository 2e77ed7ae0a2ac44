package argocd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Tools decide by the status and the code whether they sign in, come again, or give up.
func TestWhatProblemsAreAnsweredWith(t *testing.T) {
	stage := func(kind gitops.ProblemKind) error {
		return fmt.Errorf("around: %w", gitops.Problemf(kind, "what it is"))
	}
	for name, tc := range map[string]struct {
		reason string
		err    error
		status int
		code   code
		says   string
	}{
		"Invalid":     {"a change helps", stage(gitops.Invalid), 400, invalid, "what it is"},
		"Not found":   {"it is missing", stage(gitops.NotFound), 404, notFound, "what it is"},
		"Unreachable": {"it does not answer now", stage(gitops.Unreachable), 503, unavailable, "what it is"},
		"Refused":     {"nobody is signed in", stage(gitops.Refused), 401, unauthenticated, "what it is"},
		"Forbidden":   {"they may not", stage(gitops.Forbidden), 403, denied, "what it is"},
		"Not ready":   {"it is not time yet", stage(gitops.NotReady), 400, precondition, "what it is"},
		"Not fetched": {"it would have to be fetched", stage(gitops.NotMirrored), 503, unavailable, "what it is"},
		"Hidden":      {"what may not be read is denied, and not missing", reach.HiddenApplication(view.Key{Name: "vault"}), 403, denied, "permission denied"},
		"Looked":      {"that a cluster refuses the engine is no matter of signing in", looked(stage(gitops.Refused)), 400, precondition, "what it is"},
		"Looked, no":  {"nor of rights", looked(stage(gitops.Forbidden)), 400, precondition, "what it is"},
		"Barred":      {"but for a cluster that lets somebody do less than that", looked(reach.Bar(gitops.Problemf(gitops.Forbidden, "not there"))), 403, denied, "not there"},
		"Looked, gone": {
			"what is missing there is missing", looked(stage(gitops.NotFound)), 404, notFound, "what it is",
		},
		"Late":    {"there was no answer", fmt.Errorf("look: %w", context.DeadlineExceeded), 504, deadline, "there was no answer in time; try again"},
		"Gone":    {"who asked has gone", context.Canceled, 503, unavailable, "the request was given up before it was answered"},
		"Busy":    {"others are being signed in", session.ErrBusy, 429, exhausted, session.ErrBusy.Error()},
		"Large":   {"it is too large", &http.MaxBytesError{Limit: 7}, 400, invalid, "the body has more than 7 bytes"},
		"Unknown": {"what nobody foresaw is for the log", errors.New("dial 10.0.0.1: refused"), 500, internal, "the server could not do that; its log says why"},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			refuse(w, tc.err)
			var got struct {
				Code           code
				Error, Message string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != tc.status || got.Code != tc.code || got.Error != tc.says || got.Message != tc.says {
				t.Errorf("%s: %d %s, want %d with code %d: %s", tc.reason, w.Code, w.Body, tc.status, tc.code, tc.says)
			}
			later := tc.status == http.StatusServiceUnavailable || tc.status == http.StatusTooManyRequests
			if (w.Header().Get("Retry-After") != "") != later || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("%s: headers %v", tc.reason, w.Header())
			}
		})
	}
}

// Who sends what proves nothing has to sign in; that nobody could look is no such thing: a tool
// that signed in again would do so for nothing.
func TestSendersThatAreNotKnown(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want int
	}{
		"No token":   {errors.New("the token has ended"), http.StatusUnauthorized},
		"Wrong":      {gitops.Problemf(gitops.Refused, "no such account"), http.StatusUnauthorized},
		"Invalid":    {gitops.Problemf(gitops.Invalid, "no token"), http.StatusUnauthorized},
		"Away":       {gitops.Problemf(gitops.Unreachable, "the issuer does not answer"), http.StatusServiceUnavailable},
		"Busy":       {fmt.Errorf("now: %w", session.ErrBusy), http.StatusTooManyRequests},
		"Other site": {session.ErrForged, http.StatusForbidden},
	} {
		w := httptest.NewRecorder()
		if Refuse(w, nil, tc.err); w.Code != tc.want || !strings.Contains(w.Body.String(), tc.err.Error()) {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, tc.want)
		}
	}
}

// Clusters are found by their address in any spelling, and count the Applications that may be
// read and that are there: one whose project does not permit it names what it likes.
func TestApplicationsOfAClusterAreThere(t *testing.T) {
	w := newWorld()
	spy := *w.index.Get(view.Key{Namespace: "argocd", Name: "web"})
	spy.Name, spy.Nowhere = "spy", true
	w.index.Put(&spy)
	type list struct{ Items []cluster }
	for query, want := range map[string]string{"": "dev 0 prod 2", "?server=https://prod/": "prod 2", "?server=HTTPS://PROD:443": "prod 2", "?name=dev": "dev 0", "?name=dev&server=https://prod": "", "?name=none": ""} {
		var got []string
		for _, c := range decoded[list](t, send(t, w.handler(t), "reader", "GET", "/v1/clusters"+query, "")).Items {
			got = append(got, fmt.Sprint(c.Name, " ", c.Info.ApplicationsCount))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%q: %q, want %q", query, text, want)
		}
	}
}
