package git

import (
	"context"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// site serves a repository's files, and remembers what was asked.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newSite(t *testing.T, start func(*httptest.Server), answer http.Handler) *site {
	t.Helper()
	w := &site{}
	w.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.asked = append(w.asked, r.Host)
		w.mu.Unlock()
		answer.ServeHTTP(out, r)
	}))
	start(w.Server)
	t.Cleanup(w.Close)
	return w
}

func (w *site) hosts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}

// lookAt asks a repository with a credential for public hosts, of which a server
// is the one that is there.
func lookAt(t *testing.T, url string, public *site, cred access.Credential) error {
	t.Helper()
	at, err := address.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	store := newStore(t)
	store.command.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "git.example.com:") {
			address = public.Listener.Addr().String()
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		return egress.Dial(ctx, network, address)
	}
	cred.OnlyPublic = true
	_, err = NewRemote(store, at, func(context.Context) (access.Credential, error) { return cred, nil }).Look(t.Context())
	return err
}

func noProxies(t *testing.T) {
	t.Helper()
	for _, v := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"} {
		t.Setenv(v, "")
	}
}

// files are those of a repository, for a server that knows nothing of git.
func files(t *testing.T) http.Handler {
	t.Helper()
	u := newUpstream(t)
	u.write("a.yaml", "1")
	u.commit("one")
	u.git("update-server-info")
	return http.StripPrefix("/repo", http.FileServer(http.Dir(filepath.Join(u.dir, ".git"))))
}

// TestOnlyPublicReads has git read a public host that it may connect to.
func TestOnlyPublicReads(t *testing.T) {
	noProxies(t)
	served := files(t)
	plain, sealed := newSite(t, (*httptest.Server).Start, served), newSite(t, (*httptest.Server).StartTLS, served)
	if err := lookAt(t, "http://git.example.com/repo", plain, access.Credential{}); err != nil {
		t.Errorf("by http: %v", err)
	}
	// The server's certificate is for example.com and what is below it, and its own authority.
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: sealed.Certificate().Raw}))
	if err := lookAt(t, "https://git.example.com/repo", sealed, access.Credential{CA: ca}); err != nil {
		t.Errorf("by https: %v", err)
	}
}

// TestOnlyPublicRefuses has no private host asked, for itself or by a redirect.
func TestOnlyPublicRefuses(t *testing.T) {
	noProxies(t)
	t.Setenv("NO_PROXY", "*") // git's own way past proxies
	private := newSite(t, (*httptest.Server).Start, files(t))
	leads := newSite(t, (*httptest.Server).Start, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, private.URL+r.URL.RequestURI(), http.StatusFound)
	}))
	_, port, err := net.SplitHostPort(private.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for name, url := range map[string]string{
		"Address":  private.URL + "/repo",
		"Sealed":   strings.Replace(private.URL, "http:", "https:", 1) + "/repo",
		"Name":     "http://localhost:" + port + "/repo",
		"Redirect": "http://git.example.com/repo",
	} {
		t.Run(name, func(t *testing.T) {
			err := lookAt(t, url, leads, access.Credential{})
			var refusal *egress.Refusal
			if !errors.As(err, &refusal) {
				t.Errorf("got %v", err)
			}
		})
	}
	if got := private.hosts(); len(got) > 0 {
		t.Errorf("it was asked for %v", got)
	}
	if len(leads.hosts()) == 0 {
		t.Error("nothing was redirected")
	}
}

// TestOnlyPublicByProxy leaves all to a proxy of the environment, also what a
// redirect leads to that it is not for.
func TestOnlyPublicByProxy(t *testing.T) {
	noProxies(t)
	served := files(t)
	proxy := newSite(t, (*httptest.Server).Start, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "git.example.com" {
			http.Redirect(w, r, "http://git.corp.example"+r.URL.RequestURI(), http.StatusFound)
			return
		}
		served.ServeHTTP(w, r)
	}))
	t.Setenv("http_proxy", proxy.URL)
	t.Setenv("no_proxy", ".corp.example,git.corp.example")
	if err := lookAt(t, "http://git.example.com/repo", nil, access.Credential{}); err != nil {
		t.Error(err)
	}
	if got := strings.Join(proxy.hosts(), " "); !strings.HasPrefix(got, "git.example.com git.corp.example") {
		t.Errorf("the proxy was asked for %s", got)
	}
}
