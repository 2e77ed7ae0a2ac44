package source

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// private is a host of the engine's network that counts who connects.
func private(t *testing.T) (host string, connected *atomic.Int64) {
	t.Helper()
	connected = &atomic.Int64{}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connected.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), connected
}

func noProxies(t *testing.T) {
	t.Helper()
	for _, v := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"} {
		t.Setenv(v, "")
	}
}

// TestPrivateHosts has nobody connect to a private host for a repository that
// the project does not permit, whatever way it would be read.
func TestPrivateHosts(t *testing.T) {
	noProxies(t)
	host, connected := private(t)
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason string
		ref    gitops.SourceRef
	}{
		"Git":          {"a base of a kustomization", gitops.SourceRef{RepoURL: "http://" + host + "/repo"}},
		"GitSealed":    {"the same by TLS", gitops.SourceRef{RepoURL: "https://" + host + "/repo"}},
		"GitNamed":     {"a name that leads to this machine", gitops.SourceRef{RepoURL: "http://localhost:" + port + "/repo"}},
		"GitPassword":  {"an address with a password of its own", gitops.SourceRef{RepoURL: "http://me:hunter2@" + host + "/repo"}},
		"Chart":        {"a dependency of a chart", gitops.SourceRef{RepoURL: "http://" + host + "/charts", Chart: "web", Revision: "1.0.0"}},
		"ChartNamed":   {"by name", gitops.SourceRef{RepoURL: "https://localhost:" + port + "/charts", Chart: "web", Revision: "1.0.0"}},
		"Registry":     {"one of a registry", gitops.SourceRef{RepoURL: "oci://" + host + "/charts", Chart: "web", Revision: "1.0.0"}},
		"RegistryList": {"whichever version", gitops.SourceRef{RepoURL: "oci://" + host + "/charts", Chart: "web", Revision: "*"}},
		"Artifact":     {"an artifact", gitops.SourceRef{RepoURL: "oci://" + host + "/artifact", Revision: "latest"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.ref.Project, tc.ref.Anonymous = "shop", true
			_, err := newRegistry(t, Options{}).Snapshot(t.Context(), tc.ref)
			p := problem(t, err)
			for _, want := range []string{"private address", `project "shop" does not permit`, "spec.sourceRepos"} {
				if !strings.Contains(p.Error(), want) {
					t.Errorf("%s: %v does not say %q", tc.reason, err, want)
				}
			}
			if p.Kind != gitops.Refused || strings.Contains(p.Error(), "hunter2") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if n := connected.Swap(0); n != 0 {
				t.Errorf("%s: %d connections arrived", tc.reason, n)
			}
			tc.ref.Anonymous = false
			_, _ = newRegistry(t, Options{}).Snapshot(t.Context(), tc.ref)
			if connected.Swap(0) == 0 {
				t.Errorf("%s: nobody connects for a project that permits it", tc.reason)
			}
		})
	}
}

// TestPrivateHostsByGit refuses a protocol of Git's that nothing stands before.
func TestPrivateHostsByGit(t *testing.T) {
	host, connected := private(t)
	ref := gitops.SourceRef{RepoURL: "git://" + host + "/repo", Project: "shop", Anonymous: true}
	_, err := newRegistry(t, Options{}).Snapshot(t.Context(), ref)
	if p := problem(t, err); p.Kind != gitops.Refused || !strings.Contains(p.Error(), "git://") {
		t.Errorf("got %v", err)
	}
	if n := connected.Load(); n != 0 {
		t.Errorf("%d connections arrived", n)
	}
}

// TestPrivateHostsArePermitted gives what a project permits to no other one, and
// to all where the engine may reach private hosts.
func TestPrivateHostsArePermitted(t *testing.T) {
	noProxies(t)
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	permitted := gitops.SourceRef{RepoURL: server.URL + "/repo", Project: "ours"}
	another := gitops.SourceRef{RepoURL: server.URL + "/repo", Project: "another", Anonymous: true}
	r := newRegistry(t, Options{})
	content(t, snap(t, r, permitted), "a.yaml")
	var refusal *egress.Refusal
	if _, err := r.Snapshot(t.Context(), another); !errors.As(err, &refusal) {
		t.Errorf("what one project permits is given to another: %v", err)
	}
	content(t, snap(t, r, permitted), "a.yaml")
	content(t, snap(t, newRegistry(t, Options{PrivateHosts: true}), another), "a.yaml")
}
