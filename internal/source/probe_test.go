package source

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// A repository of each kind is asked with a credential, and what it answers
// otherwise is told without what was answered.
func TestProbe(t *testing.T) {
	git := newGitServer(t, filepath.Dir(newRepository(t)))
	git.only(func(r *http.Request) bool { _, password, _ := r.BasicAuth(); return password == "hunter2" })
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "hunter2" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			http.Error(w, "inner secret", http.StatusUnauthorized)
			return
		}
		switch {
		case strings.HasPrefix(r.URL.Path, "/charts/"):
			_, _ = w.Write([]byte("apiVersion: v1\nentries:\n  web:\n  - version: 1.0.0\n"))
		case strings.HasSuffix(r.URL.Path, "/tags/list"):
			_, _ = w.Write([]byte(`{"name":"x","tags":["1.0.0","1.1.0"]}`))
		case strings.HasPrefix(r.URL.Path, "/v2"):
			_, _ = w.Write([]byte("{}"))
		default:
			_, _ = w.Write([]byte("inner secret"))
		}
	}))
	defer other.Close()
	registry := strings.TrimPrefix(other.URL, "http://")
	good, bad := Credential{Username: "me", Password: "hunter2"}, Credential{Username: "me", Password: "wr0ng"}
	as := func(c Credential, kind string, oci bool) Credential {
		c.Type, c.EnableOCI, c.PlainHTTP = kind, oci, oci || kind == "oci"
		return c
	}
	cases := map[string]struct {
		reason string
		url    string
		cred   Credential
		want   Probe
		kind   gitops.ProblemKind
	}{
		"git":           {"a Git repository tells its branch", git.URL + "/repo", good, Probe{Protocol: GitProtocol, Branch: "main"}, 0},
		"git refuses":   {"a wrong password is refused", git.URL + "/repo", bad, Probe{}, gitops.Refused},
		"charts":        {"an index of charts is read", other.URL + "/charts", as(good, "helm", false), Probe{Protocol: HelmProtocol}, 0},
		"charts refuse": {"a wrong password is refused", other.URL + "/charts", as(bad, "helm", false), Probe{}, gitops.Refused},
		"no charts":     {"what else answers is not told", other.URL + "/else", as(good, "helm", false), Probe{}, gitops.Invalid},
		"artifacts":     {"tags are counted", "oci://" + registry + "/apps", as(good, "oci", false), Probe{Protocol: OCIProtocol, Tags: 2}, 0},
		"refused":       {"a wrong password is refused", "oci://" + registry + "/apps", as(bad, "oci", false), Probe{}, gitops.Refused},
		"registry":      {"a prefix of charts is signed in to", registry + "/charts", as(good, "helm", true), Probe{Protocol: OCIProtocol, SignedIn: true}, 0},
		"no scheme":     {"another scheme is not asked", "ftp://" + registry, good, Probe{}, gitops.Invalid},
		"unsupported":   {"a way to sign in that is not known", git.URL + "/repo", Credential{Unsupported: "Azure workload identity"}, Probe{}, gitops.Refused},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := newRegistry(t, Options{}).Probe(t.Context(), c.url, c.cred)
			if c.want != (Probe{}) {
				if err != nil || got != c.want {
					t.Errorf("%s: got %+v, %v", c.reason, got, err)
				}
				return
			}
			p := problem(t, err)
			if p.Kind != c.kind || p.Fix == "" {
				t.Errorf("%s: kind %d: %v", c.reason, p.Kind, err)
			}
			for _, s := range []string{"wr0ng", "hunter2", "inner secret"} {
				if strings.Contains(fmt.Sprintf("%v %+v", err, p), s) {
					t.Errorf("%s: the error tells %q: %v", c.reason, s, err)
				}
			}
		})
	}
}

// TestProbesOpenNoFolders tries folders of the engine's machine as somebody may
// who describes the repositories of one project. Whatever is there, the answer
// is the same, but for what was written.
func TestProbesOpenNoFolders(t *testing.T) {
	r := newRegistry(t, Options{NoFolders: true, NoKeys: true})
	said := map[string]bool{}
	for what, folder := range map[string]string{
		"a repository": newRepository(t), "a folder": t.TempDir(), "nothing": filepath.Join(t.TempDir(), "nothing"), "a store of the engine's": r.dir,
	} {
		for _, kind := range []string{"git", "helm", "oci"} {
			_, err := r.Probe(t.Context(), "file://"+folder, Credential{Type: kind})
			p := problem(t, err)
			said[p.What] = true
			if p.Kind != gitops.Refused || p.Fix == "" {
				t.Errorf("%s as %s: %v", what, kind, err)
			}
		}
	}
	if len(said) > 1 {
		t.Errorf("the answers tell what is there: %v", said)
	}
	_, err := r.Probe(t.Context(), "ssh://git@127.0.0.1:1/team/app", Credential{Type: "git"})
	if p := problem(t, err); p.Kind != gitops.Refused || p.Fix == "" {
		t.Errorf("ssh looks for keys of the engine's machine: %v", err)
	}
}

// How the last look went is told in whatever form the address is written.
func TestState(t *testing.T) {
	anybody := func(string) bool { return true }
	git := newGitServer(t, filepath.Dir(newRepository(t)))
	r := newRegistry(t, Options{})
	if _, known := r.State(git.URL+"/repo", anybody); known {
		t.Error("nothing uses it yet")
	}
	snap(t, r, gitops.SourceRef{RepoURL: git.URL + "/repo"})
	if s, known := r.State(git.URL+"/repo.git", anybody); !known || s.Err != nil || s.Looked.IsZero() {
		t.Errorf("after a look: %+v, %t", s, known)
	}
	_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: git.URL + "/none"})
	if s, known := r.State(git.URL+"/none", anybody); err == nil || !known || s.Err == nil {
		t.Errorf("after a look that failed: %+v, %t", s, known)
	}
}

// What is read for one project is not told of a repository that is another's,
// neither at its own address nor below it.
func TestStateIsOfProjects(t *testing.T) {
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "busy", http.StatusBadGateway) }))
	t.Cleanup(registry.Close)
	r, root := newRegistry(t, Options{}), "oci://"+strings.TrimPrefix(registry.URL, "http://")
	for _, url := range []string{root + "/blue/acquisition", registry.URL + "/blue.git"} {
		if _, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: url, Revision: "1.0.0", Project: "blue"}); err == nil {
			t.Fatal("it is not there")
		}
	}
	for _, url := range []string{root, root + "/blue/acquisition", registry.URL + "/blue.git"} {
		if s, known := r.State(url, func(project string) bool { return project == "red" }); known {
			t.Errorf("%s tells red what blue reads: %+v", url, s)
		}
		if s, known := r.State(url, func(project string) bool { return project == "blue" }); !known || s.Err == nil {
			t.Errorf("%s tells blue %+v, %t", url, s, known)
		}
	}
	_, _ = r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: root + "/nobodys", Revision: "1.0.0"})
	if s, known := r.State(root, func(project string) bool { return project == "" }); known {
		t.Errorf("what is read for no project shows above it: %+v", s)
	}
}
