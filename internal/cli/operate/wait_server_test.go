package operate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	apiclient "github.com/causeway-gitops/causeway/internal/client"
)

// herald is a server with one application, which tells of each of its changes.
type herald struct {
	mu    sync.Mutex
	app   *v1alpha1.Application
	asked string
	reads int
	// seen is closed when the application was looked at, after it was found.
	seen chan struct{}
	news chan string
}

func (h *herald) change(how func(*v1alpha1.Application)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	version, _ := strconv.Atoi(h.app.ResourceVersion)
	h.app = h.app.DeepCopy()
	how(h.app)
	h.app.ResourceVersion = strconv.Itoa(version + 1)
}

// newHerald starts one. A piece of news is the name of an application; an empty one ends the stream.
func newHerald(t *testing.T, app *v1alpha1.Application) (*herald, string) {
	t.Helper()
	app.ResourceVersion = "1"
	h := &herald{app: app, seen: make(chan struct{}), news: make(chan string)}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: func(w http.ResponseWriter, r *http.Request) {
			h.mu.Lock()
			defer h.mu.Unlock()
			clitest.Applications(h.app)(w, r)
			if h.reads++; h.reads == 2 {
				close(h.seen)
			}
		},
		"POST " + ofShop + "/refresh": func(w http.ResponseWriter, r *http.Request) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.asked = r.URL.Query().Get("how")
			w.WriteHeader(http.StatusNoContent)
		},
		"GET /api/v1/events": func(w http.ResponseWriter, r *http.Request) {
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
		},
	})
	return h, d.URL
}

func outOfSync(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeOutOfSync }

// TestServersTellOfChangesByThemselves: nobody asks again and again.
func TestServersTellOfChangesByThemselves(t *testing.T) {
	h, url := newHerald(t, clitest.Settled(outOfSync))
	go func() {
		<-h.seen
		h.news <- "another"
		h.change(func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeSynced })
		h.news <- "shop"
	}()
	got := clitest.Run(t, NewWait, "shop", "--server", url)
	got.Says(t, "it becomes as asked", command.ExitFine, "shop: OutOfSync, Healthy\n", "shop  reached  Synced  Healthy", "shop: reached: Synced, Healthy\n")
}

// TestLooksThatAServerWasAskedFor: it may still answer from before for a moment, and its stream may end meanwhile.
func TestLooksThatAServerWasAskedFor(t *testing.T) {
	h, url := newHerald(t, clitest.Settled())
	go func() {
		<-h.seen
		h.news <- "shop" // of something else than the look
		h.news <- ""     // and the stream ends
		h.change(func(a *v1alpha1.Application) { a.Status.Sync.Revision = clitest.NewCommit })
	}()
	got := clitest.Run(t, NewWait, "shop", "--refresh=hard", "--server", url)
	got.Says(t, "after the look", command.ExitFine, "7777777", "shop: the engine has not looked yet\n")
	if h.asked != "hard" {
		t.Errorf("it is asked for %q", h.asked)
	}
}

// TestWaitsOfStrangersEndAtOnce: whoever is not let in waits for nothing.
func TestWaitsOfStrangersEndAtOnce(t *testing.T) {
	_, url := newHerald(t, clitest.Settled())
	t.Setenv(command.VariableToken, "bad")
	clitest.Run(t, NewWait, "shop", "--server", url).Says(t, "nobody is signed in", command.ExitFailed, "causeway login")
}

// TestHubsThatDoNotAnswer hold no command for longer than its time: not where the applications are found, and
// not where the engine is asked to look.
func TestHubsThatDoNotAnswer(t *testing.T) {
	t.Setenv(command.VariableToken, clitest.Token)
	cases := map[string]struct{ reason, silent, args string }{
		"named":    {"one that is named", http.MethodGet, "shop"},
		"deleted":  {"one that may be gone", http.MethodGet, "shop --for deleted"},
		"selected": {"those that are chosen", http.MethodGet, "-l team=web"},
		"refresh":  {"a look that is asked for", http.MethodPost, "-A --refresh"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == c.silent {
					<-r.Context().Done()
					return
				}
				_ = json.NewEncoder(w).Encode(v1alpha1.ApplicationList{Items: []v1alpha1.Application{*clitest.Settled()}})
			}))
			t.Cleanup(s.Close)
			clitest.Run(t, NewWait, append(strings.Fields(c.args), "--timeout", "100ms", "--server", s.URL)...).Says(t, c.reason, command.ExitLate, "within 100ms")
		})
	}
}

// TestManyAreReadTogether, and each of them is known again: one that was made anew is not the one that was waited for.
func TestManyAreReadTogether(t *testing.T) {
	var all []*v1alpha1.Application
	for i := range few + 2 {
		a := clitest.Settled()
		a.Name, a.UID = fmt.Sprintf("app-%02d", i), "u"
		all = append(all, a)
	}
	reads := 0
	d := clitest.NewDesk(t, map[string]any{"GET /api/v1/events": nil, clitest.AppsRoute: func(w http.ResponseWriter, r *http.Request) {
		if reads++; reads == 2 {
			all[3] = all[3].DeepCopy()
			all[3].UID = "another"
			all = all[:len(all)-1]
		}
		clitest.Applications(all...)(w, r)
	}})
	got := clitest.Run(t, NewWait, "--app-namespace", "argocd,argocd", "-o", "json", "--server", d.URL)
	var results []waited
	if err := json.Unmarshal([]byte(got.Out), &results); err != nil || len(results) != few+2 || reads != 2 {
		t.Fatalf("%d are told in %d reads: %v %s", len(results), reads, err, got.Errors)
	}
	for i, r := range results {
		want := stateReached
		if i == 3 || i == few+1 {
			want = stateFailed
		}
		if r.Result != want || r.Name != fmt.Sprintf("app-%02d", i) || want == stateFailed && r.Message != "it was deleted" {
			t.Errorf("%+v, want %s", r, want)
		}
	}
}

// TestNewsAreKeptUntilSomebodyLooks, whichever comes first, and told once.
func TestNewsAreKeptUntilSomebodyLooks(t *testing.T) {
	b := &board{bell: make(chan struct{}, 1)}
	one, two := apiclient.Key{Namespace: "argocd", Name: "a"}, apiclient.Key{Namespace: "argocd", Name: "b"}
	b.put(apiclient.Change{Keys: []apiclient.Key{one}})
	b.put(apiclient.Change{All: true})
	b.put(apiclient.Change{Keys: []apiclient.Key{two}})
	if n := len(b.bell); n != 1 {
		t.Errorf("it rings %d times", n)
	}
	if news := b.take(); !news.All || len(news.Keys) != 2 || news.Keys[1] != two {
		t.Errorf("got %+v", news)
	}
	if news := b.take(); news.All || len(news.Keys) > 0 {
		t.Errorf("told again: %+v", news)
	}
}
