package source

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/sshtest"
)

func TestGitOverHTTP(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	server.only(func(r *http.Request) bool {
		_, password, _ := r.BasicAuth()
		return password == "hunter2" || r.Header.Get("Authorization") == "Bearer tok3n"
	})
	url := server.URL + "/repo"
	cases := map[string]struct {
		reason string
		url    string
		cred   Credential
		kind   gitops.ProblemKind
		ok     bool
	}{
		"none":      {"no credentials", url, Credential{}, gitops.Refused, false},
		"wrong":     {"wrong credentials", url, Credential{Username: "me", Password: "wr0ng"}, gitops.Refused, false},
		"basic":     {"a password", url, Credential{Username: "me", Password: "hunter2"}, 0, true},
		"token":     {"a token as password without a user", url, Credential{Password: "hunter2"}, 0, true},
		"forced":    {"a password before it is asked for", url, Credential{Username: "me", Password: "hunter2", ForceBasic: true}, 0, true},
		"bearer":    {"a bearer token", url, Credential{BearerToken: "tok3n"}, 0, true},
		"in URL":    {"a password in the address", strings.Replace(url, "://", "://me:hunter2@", 1), Credential{}, 0, true},
		"wrong URL": {"a wrong one in the address", strings.Replace(url, "://", "://me:wr0ng@", 1), Credential{}, gitops.Refused, false},
		"absent":    {"a repository that is not there", server.URL + "/none", Credential{Password: "hunter2"}, gitops.NotFound, false},
		"cloud":     {"a way to sign in that is not known", url, Credential{Unsupported: "Azure workload identity"}, gitops.Refused, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t, Options{Credentials: known(c.cred)})
			got, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: c.url})
			if c.ok {
				if err != nil {
					t.Fatalf("%s: %v", c.reason, err)
				}
				content(t, got, "a.yaml")
				return
			}
			p := problem(t, err)
			if p.Kind != c.kind || p.Fix == "" {
				t.Errorf("%s: kind %d: %v", c.reason, p.Kind, err)
			}
			for _, s := range []string{"wr0ng", "hunter2"} {
				if strings.Contains(fmt.Sprintf("%v %+v %v", err, p, p.Err), s) {
					t.Errorf("%s: the error shows a secret: %v", c.reason, err)
				}
			}
		})
	}
}

func TestGitDoesNotCarryPasswordsToAnotherHost(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Header.Get("Authorization"))
		mu.Unlock()
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.String(), http.StatusMovedPermanently)
	}))
	defer first.Close()
	for _, cred := range []Credential{{Username: "me", Password: "hunter2"}, {BearerToken: "tok3n"}, {Password: "hunter2", ForceBasic: true}} {
		_, err := newRegistry(t, Options{Credentials: known(cred)}).Snapshot(t.Context(), gitops.SourceRef{RepoURL: first.URL + "/repo"})
		if err == nil {
			t.Error("there is no repository")
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, s := range seen {
		if s != "" {
			t.Errorf("the other host was sent %q", s)
		}
	}
}

func TestSlowServer(t *testing.T) {
	server := newGitServer(t, filepath.Dir(newRepository(t)))
	server.hanging.Store(true)
	r := newRegistry(t, Options{Limits: Limits{Operation: 300 * time.Millisecond}})
	_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: server.URL + "/repo"})
	if p := problem(t, err); p.Kind != gitops.Unreachable || !strings.Contains(err.Error(), "no answer within 300ms") {
		t.Errorf("got %v", err)
	}
}

func TestCredentialsChanged(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	server.only(func(r *http.Request) bool {
		_, password, _ := r.BasicAuth()
		return password == "hunter2"
	})
	store := &Credentials{}
	r := newRegistry(t, Options{Credentials: store, Interval: time.Hour})
	start(t, r)
	ref := gitops.SourceRef{RepoURL: server.URL + "/repo"}
	if _, err := r.Snapshot(t.Context(), ref); err == nil {
		t.Fatal("no credentials yet")
	}
	store.Replace([]Repository{{URL: server.URL, Template: true, Credential: Credential{Password: "hunter2"}}})
	r.CredentialsChanged()
	if c := change(t, r); c.Repos[0] != address.Folded(ref.RepoURL) {
		t.Errorf("got %+v", c)
	}
	snap(t, r, ref)
}

func TestGitOverSSH(t *testing.T) {
	dir := newRepository(t)
	private, public := sshtest.Key(t)
	other, _ := sshtest.Key(t)
	server := sshtest.Start(t, public)
	cases := map[string]struct {
		reason string
		cred   Credential
		ok     bool
		want   string
	}{
		"key":      {"the right key and a known host", Credential{SSHKey: Secret(private), KnownHosts: server.KnownHosts}, true, ""},
		"insecure": {"an unknown host that is not checked", Credential{SSHKey: Secret(private), Insecure: true}, true, ""},
		"unknown":  {"an unknown host", Credential{SSHKey: Secret(private), KnownHosts: "example.org " + server.HostKey}, false, "argocd-ssh-known-hosts-cm"},
		"other":    {"another key", Credential{SSHKey: Secret(other), KnownHosts: server.KnownHosts}, false, "sshPrivateKey"},
		"garbage":  {"no key at all", Credential{SSHKey: "nonsense", KnownHosts: server.KnownHosts}, false, "sshPrivateKey"},
	}
	cache := t.TempDir()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t, Options{CacheDir: filepath.Join(cache, name), Credentials: known(c.cred)})
			got, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: "ssh://git@" + server.Addr + dir, Revision: "main"})
			if c.ok {
				if err != nil {
					t.Fatalf("%s: %v", c.reason, err)
				}
				content(t, got, "a.yaml")
				return
			}
			if p := problem(t, err); p.Kind != gitops.Refused || !strings.Contains(p.Fix, c.want) {
				t.Errorf("%s: kind %d: %v", c.reason, p.Kind, err)
			}
		})
	}
	err := filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "session-") {
			t.Errorf("files of a session are left: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
