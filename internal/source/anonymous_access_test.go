package source

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestAnonymous reads a repository that somebody else may sign in to.
func TestAnonymous(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	var mu sync.Mutex
	sent := map[string]bool{}
	server.only(func(r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		sent[r.Header.Get("Authorization")] = true
		_, password, _ := r.BasicAuth()
		return password == "hunter2"
	})
	r := newRegistry(t, Options{PrivateHosts: true, Credentials: known(Credential{Username: "me", Password: "hunter2", ForceBasic: true})})
	ref := gitops.SourceRef{RepoURL: server.URL + "/repo", Project: "ours", Anonymous: true}
	_, err := r.Snapshot(t.Context(), ref)
	if p := problem(t, err); p.Kind != gitops.Refused {
		t.Errorf("got %v", err)
	}
	mu.Lock()
	if len(sent) != 1 || !sent[""] {
		t.Errorf("it signed in: %v", sent)
	}
	mu.Unlock()
	ref.Anonymous = false
	content(t, snap(t, r, ref), "a.yaml") // who may sign in is not answered by what others were refused
	ref.Anonymous = true
	if _, err := r.Snapshot(t.Context(), ref); err == nil {
		t.Error("what another one fetched is given to whoever asks")
	}
}

// TestClosedAddresses has addresses that nothing is opened for.
func TestClosedAddresses(t *testing.T) {
	dir := newRepository(t)
	tests := map[string]struct {
		reason string
		opts   Options
		ref    gitops.SourceRef
		says   string
	}{
		"Folder":          {"a folder of the engine's machine", Options{NoFolders: true}, gitops.SourceRef{RepoURL: "file://" + dir}, "--mirror"},
		"BareFolder":      {"the same without a scheme", Options{NoFolders: true}, gitops.SourceRef{RepoURL: dir}, "--mirror"},
		"AnonymousFolder": {"a folder that the project does not permit", Options{}, gitops.SourceRef{RepoURL: dir, Anonymous: true}, "--mirror"},
		"AnonymousSSH":    {"ssh would take whatever key it finds", Options{}, gitops.SourceRef{RepoURL: "git@127.0.0.1:repo", Project: "ours", Anonymous: true}, "spec.sourceRepos"},
		"Climbs":          {"an address that leads elsewhere", Options{}, gitops.SourceRef{RepoURL: dir + "/../repo"}, "segment of one or two dots"},
		"Parameters":      {"an address that leads elsewhere on some servers", Options{}, gitops.SourceRef{RepoURL: "https://127.0.0.1:1/a/..;/repo"}, "semicolon"},
		"Chart":           {"a chart of another folder of the registry", Options{}, gitops.SourceRef{RepoURL: "oci://127.0.0.1:1/shop", Chart: "../payments/keys"}, `cannot use chart "../payments/keys"`},
		"MirroredChart":   {"also where a mirror has it", Options{Mirrors: []Mirror{{URL: "oci://127.0.0.1:1/payments", Path: dir}}}, gitops.SourceRef{RepoURL: "oci://127.0.0.1:1/shop", Chart: "../payments/keys"}, `cannot use chart "../payments/keys"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := newRegistry(t, tc.opts).Snapshot(t.Context(), tc.ref)
			if p := problem(t, err); !strings.Contains(p.Error(), tc.says) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
	mirrored := newRegistry(t, Options{NoFolders: true, Mirrors: []Mirror{{URL: "file:///srv/git/repo", Path: dir}}})
	content(t, snap(t, mirrored, gitops.SourceRef{RepoURL: "file:///srv/git/repo"}), "a.yaml")
}
