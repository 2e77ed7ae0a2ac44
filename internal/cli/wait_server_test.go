package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// herald is a server with one application, which tells of its changes.
type herald struct {
	mu      sync.Mutex
	app     *v1alpha1.Application
	version int
	// asked is how the engine is to look.
	asked string
	// news are changes; a closed stream ends.
	news chan string
}

func newHerald(t *testing.T) (*herald, string) {
	t.Helper()
	h := &herald{news: make(chan string)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /argocd/api/v1/applications", func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		list := v1alpha1.ApplicationList{Items: []v1alpha1.Application{}}
		if name := r.URL.Query().Get("name"); name == "" || name == h.app.Name {
			list.Items = append(list.Items, *h.app)
		}
		_ = json.NewEncoder(w).Encode(list)
	})
	mux.HandleFunc("POST /api/v1/applications/argocd/shop/refresh", func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.asked = r.URL.Query().Get("how")
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /api/v1/events", h.stream)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+goodToken {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return h, s.URL
}

func (h *herald) stream(w http.ResponseWriter, r *http.Request) {
	_, _ = fmt.Fprint(w, "event: reset\ndata: {}\n\n")
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case one := <-h.news:
			if one == "" {
				return
			}
			_, _ = fmt.Fprintf(w, "event: applications\ndata: {\"changed\":[{\"namespace\":\"argocd\",\"name\":%q}]}\n\n", one)
		}
	}
}

func (h *herald) set(app *v1alpha1.Application) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version++
	app.ResourceVersion = strconv.Itoa(h.version)
	h.app = app
}

// A server tells of changes by itself; one that is asked to have the engine look
// may still answer from before for a moment.
func TestWaitHearsAServer(t *testing.T) {
	h, url := newHerald(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv(command.VariableToken, goodToken)
	h.set(clitest.Settled(outOfSync))
	w := begin(t, "wait", "shop", "--server", url)
	w.says("shop: OutOfSync, Healthy")
	h.set(clitest.Settled())
	h.news <- "shop"
	w.ends(command.ExitFine, "shop  reached  Synced  Healthy")

	h.set(clitest.Settled())
	w = begin(t, "wait", "shop", "--refresh=hard", "--server", url)
	w.says("the engine has not looked yet")
	embeddedtest.Eventually(t, func(context.Context) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.asked != "hard" {
			return errors.New("the server is not asked for a look")
		}
		return nil
	})
	h.news <- "shop" // of something else than the look
	h.news <- ""     // and the stream ends
	h.set(clitest.Settled(found(clitest.NewCommit)))
	w.ends(command.ExitFine, "7777777")

	if got := asks(t, "wait", "shop", "--timeout", "1s", "--for", "deleted", "--server", url); got.code != command.ExitLate || !strings.Contains(got.out, "nobody has deleted it") {
		t.Errorf("the time is over: %+v", got)
	}
	t.Setenv(command.VariableToken, "bad")
	if got := invoke(t, "wait", "shop", "--server", url); got.code != command.ExitFailed || !strings.Contains(got.errors, "causeway login") {
		t.Errorf("nobody is signed in: %+v", got)
	}
}

// A hub that does not answer holds no command for longer than its time: not where the applications are found, and
// not where the engine is asked to look.
func TestHubThatDoesNotAnswer(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv(command.VariableToken, goodToken)
	for name, tc := range map[string]struct {
		reason string
		silent string // what is not answered
		args   []string
	}{
		"Wait":      {"one that is named", http.MethodGet, []string{"wait", "shop", "--timeout", "100ms"}},
		"Deleted":   {"one that may be gone", http.MethodGet, []string{"wait", "shop", "--for", "deleted", "--timeout", "100ms"}},
		"Selected":  {"those that are chosen", http.MethodGet, []string{"wait", "-l", "team=web", "--timeout", "100ms"}},
		"Refresh":   {"a look that is asked for", http.MethodPost, []string{"wait", "-A", "--refresh", "--timeout", "100ms"}},
		"Get":       {"one that is looked at again", http.MethodGet, []string{"get", "app", "shop", "--refresh"}},
		"GetLook":   {"a look that is asked for", http.MethodPost, []string{"get", "app", "shop", "--refresh"}},
		"Terminate": {"one whose operation is to end", http.MethodGet, []string{"terminate", "shop"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == tc.silent {
					<-r.Context().Done()
					return
				}
				_ = json.NewEncoder(w).Encode(v1alpha1.ApplicationList{Items: []v1alpha1.Application{*clitest.Settled()}})
			}))
			t.Cleanup(s.Close)
			// The commands without --timeout have a minute, which is not waited for here.
			ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, command.Latef("the time of the test is over"))
			defer cancel()
			if tc.args[0] != "wait" {
				ctx, cancel = context.WithTimeoutCause(ctx, 100*time.Millisecond, command.Latef("not in time"))
				defer cancel()
			}
			var out, err output
			code := Run(ctx, "1.2.3", append(tc.args, "--server", s.URL), command.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
			if code != command.ExitLate || !strings.Contains(err.String(), "within 100ms") && !strings.Contains(err.String(), "not in time") {
				t.Errorf("%s: exit %d: %s%s", tc.reason, code, out.String(), err.String())
			}
		})
	}
}
