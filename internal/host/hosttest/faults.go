package hosttest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Token is the one that clients sign in with under Faults: no error may show it.
const Token = "t0ken-that-nobody-may-see"

const maxBody = 64 << 10

// fault is what a host does before it works again, and what comes of it.
type fault struct {
	reason  string
	answers []http.HandlerFunc
	// want is part of the error; without one the client recovers.
	want string
	kind gitops.ProblemKind
	// waits are those that the client has to make.
	waits []time.Duration
}

func faults() map[string]fault {
	down := Answer(http.StatusServiceUnavailable, "<h1>down</h1>")
	return map[string]fault{
		"wrong token":    {"only another token helps", []http.HandlerFunc{Answer(401, `{"message":"401 for `+Token+`"}`)}, "401", gitops.Refused, nil},
		"not enough":     {"only more rights help", []http.HandlerFunc{Answer(403, `{"message":"403 Forbidden"}`)}, "403", gitops.Refused, nil},
		"not there":      {"a name that is wrong", []http.HandlerFunc{Answer(404, `{"message":"404 Not Found"}`)}, "404", gitops.NotFound, nil},
		"rate limit":     {"it is waited for as long as the host says", []http.HandlerFunc{Answer(429, "", "Retry-After", "11")}, "", 0, []time.Duration{11 * time.Second}},
		"long limit":     {"an hour is told, not waited for", []http.HandlerFunc{Answer(429, "", "Retry-After", "3600")}, "rate limit", gitops.Unreachable, nil},
		"outage":         {"it passes", []http.HandlerFunc{down, Answer(http.StatusBadGateway, "")}, "", 0, []time.Duration{500 * time.Millisecond, time.Second}},
		"lasting outage": {"it does not pass", []http.HandlerFunc{down, down, down, down}, "503", gitops.Unreachable, []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}},
		"page":           {"a page for people", []http.HandlerFunc{Answer(200, "<html>sign in</html>")}, "answer", gitops.Unreachable, nil},
		"garbage":        {"JSON of another form", []http.HandlerFunc{Answer(200, `"text"`)}, "answer", gitops.Unreachable, nil},
		"cut":            {"half of an answer", []http.HandlerFunc{Answer(200, `[{"name":`)}, "answer", gitops.Unreachable, nil},
		"nothing":        {"no answer is not an empty list", []http.HandlerFunc{Answer(200, "")}, "answer", gitops.Unreachable, nil},
		"huge":           {"more than is read", []http.HandlerFunc{Answer(200, "["+strings.Repeat(" ", maxBody)+"]")}, "too large", gitops.Unreachable, nil},
	}
}

// Faults lets a host fail in the ways that hosts do, at the first request of
// each call of ask. Ask makes a client with the options and lists something
// that the server has. It signs in with Token. It needs no cleanup.
func Faults(t *testing.T, serve func(*Server), ask func(ctx context.Context, s *Server, o wire.Options) error) {
	t.Helper()
	for name, f := range faults() {
		t.Run(name, func(t *testing.T) {
			server, clock := NewServer(t), NewClock(Noon())
			serve(server)
			server.Fail(f.answers...)
			err := ask(t.Context(), server, wire.Options{Clock: clock, MaxBody: maxBody})
			f.judge(t, err)
			if got := clock.Waits(); !slices.Equal(got, f.waits) {
				t.Errorf("%s: waited %v, want %v", f.reason, got, f.waits)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		server := NewServer(t)
		ctx, cancel := context.WithCancel(t.Context())
		server.Fail(func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		if err := ask(ctx, server, wire.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled context ends it: %v", err)
		}
	})
}

func (f fault) judge(t *testing.T, err error) {
	t.Helper()
	if f.want == "" {
		if err != nil {
			t.Errorf("%s: %v", f.reason, err)
		}
		return
	}
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != f.kind || !strings.Contains(err.Error(), f.want) {
		t.Errorf("%s: got %v, want a Problem with %q", f.reason, err, f.want)
		return
	}
	if strings.Contains(err.Error(), Token) {
		t.Errorf("%s: the token shows in %q", f.reason, err)
	}
}
