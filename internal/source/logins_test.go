package source

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/sshtest"
)

// person is somebody whose configuration the tests write.
type person struct{ home, asked string }

// newPerson has a home of their own.
func newPerson(t *testing.T) person {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"NETRC", "DOCKER_CONFIG", "HELM_REPOSITORY_CONFIG", "HELM_REGISTRY_CONFIG", "HELM_CONFIG_HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return person{home, filepath.Join(home, "asked")}
}

// helper is a helper of Git's, which notes each question.
func (p person) helper(password string) string {
	return fmt.Sprintf("!f() { echo $1 >> %s; echo username=me; echo password=%s; }; f", p.asked, password)
}

// git writes a helper for a host into the person's configuration.
func (p person) git(t *testing.T, host, password string) {
	t.Helper()
	write(t, p.home, ".gitconfig", fmt.Sprintf("[credential %q]\n\thelper = %q\n", host, p.helper(password)))
}

// questions are what helpers were asked.
func (p person) questions(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(p.asked)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(data)), " ")
}

// closed lets in whoever has the password.
func closed(password string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		user, got, _ := r.BasicAuth()
		return user == "me" && got == password
	}
}

// TestLoginsOfGit reads a repository with what Git's helpers have.
func TestLoginsOfGit(t *testing.T) {
	p := newPerson(t)
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	server.only(closed("hunter2"))
	p.git(t, server.URL, "hunter2")
	r := newRegistry(t, Options{Logins: true})
	ref := gitops.SourceRef{RepoURL: server.URL + "/repo"}
	content(t, snap(t, r, ref), "a.yaml")
	write(t, dir, "a.yaml", "2")
	commit(t, dir)
	r.Refresh(ref.RepoURL)
	if got := content(t, snap(t, r, ref), "a.yaml"); got != "2" {
		t.Errorf("a second look-up reads %q", got)
	}
	if got := p.questions(t); got != "get" {
		t.Errorf("the helper was told %q, want one question and no verdict", got)
	}
	server.only(closed("another"))
	r.Refresh(ref.RepoURL)
	_, err := r.Snapshot(t.Context(), ref)
	if got := problem(t, err); got.Kind != gitops.Unreachable && got.Kind != gitops.Refused || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("with a password that is no longer right: %v", err)
	}
}

// TestLoginsAreNotAsked has repositories for which nobody is asked.
func TestLoginsAreNotAsked(t *testing.T) {
	tests := map[string]struct {
		reason string
		opts   func(server string, dir string) Options
		ref    func(server string) gitops.SourceRef
		open   bool
		works  bool
	}{
		"Public": {"the server asks nobody", func(string, string) Options { return Options{Logins: true} }, func(s string) gitops.SourceRef { return gitops.SourceRef{RepoURL: s + "/repo"} }, true, true},
		"Off":    {"logins are not used", func(string, string) Options { return Options{} }, func(s string) gitops.SourceRef { return gitops.SourceRef{RepoURL: s + "/repo"} }, false, false},
		"Mirror": {"a folder stands for it", func(s, dir string) Options {
			return Options{Logins: true, Mirrors: []Mirror{{URL: s + "/repo", Path: dir}}}
		}, func(s string) gitops.SourceRef { return gitops.SourceRef{RepoURL: s + "/repo"} }, false, true},
		"Offline":   {"nothing is fetched", func(string, string) Options { return Options{Logins: true, Offline: true} }, func(s string) gitops.SourceRef { return gitops.SourceRef{RepoURL: s + "/repo"} }, false, false},
		"Anonymous": {"it must not be signed in to", func(string, string) Options { return Options{Logins: true} }, func(s string) gitops.SourceRef { return gitops.SourceRef{RepoURL: s + "/repo", Anonymous: true} }, false, false},
		"Known": {"a repository Secret is there", func(string, string) Options {
			return Options{Logins: true, Credentials: known(Credential{Username: "me", Password: "hunter2"})}
		}, func(s string) gitops.SourceRef { return gitops.SourceRef{RepoURL: s + "/repo"} }, false, true},
		"Address": {"the address has a password", func(string, string) Options { return Options{Logins: true} }, func(s string) gitops.SourceRef {
			return gitops.SourceRef{RepoURL: strings.Replace(s, "//", "//me:wrong@", 1) + "/repo"}
		}, false, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t)
			dir := newRepository(t)
			server := newGitServer(t, filepath.Dir(dir))
			if !tc.open {
				server.only(closed("hunter2"))
			}
			p.git(t, server.URL, "hunter2")
			_, err := newRegistry(t, tc.opts(server.URL, dir)).Snapshot(t.Context(), tc.ref(server.URL))
			if (err == nil) != tc.works {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if got := p.questions(t); got != "" {
				t.Errorf("%s: the helper was asked: %s", tc.reason, got)
			}
		})
	}
}

// TestLoginsOfARepositoryAreNotRun has helpers that a checkout configures, and
// variables that name it.
func TestLoginsOfARepositoryAreNotRun(t *testing.T) {
	p := newPerson(t)
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	server.only(closed("hunter2"))
	checkout := newRepository(t)
	runGit(t, checkout, "config", "credential.helper", p.helper("hunter2"))
	runGit(t, checkout, "config", "core.askPass", "sh -c 'echo askpass >> "+p.asked+"'")
	t.Chdir(checkout)
	t.Setenv("GIT_DIR", filepath.Join(checkout, ".git"))
	t.Setenv("GIT_ASKPASS", "sh -c 'echo askpass >> "+p.asked+"'")
	t.Setenv("SSH_ASKPASS", "sh -c 'echo askpass >> "+p.asked+"'")
	_, err := newRegistry(t, Options{Logins: true, SignIn: "sign in"}).Snapshot(t.Context(), gitops.SourceRef{RepoURL: server.URL + "/repo"})
	if got := problem(t, err); got.Kind != gitops.Refused || got.Fix != "sign in" {
		t.Errorf("got %v", err)
	}
	if got := p.questions(t); got != "" {
		t.Errorf("what a checkout configures was run: %s", got)
	}
}

// TestLoginsStayWithTheirHost has a server that sends on to another one.
func TestLoginsStayWithTheirHost(t *testing.T) {
	p := newPerson(t)
	dir := newRepository(t)
	other := newGitServer(t, filepath.Dir(dir))
	sent := make(chan string, 100)
	other.only(func(r *http.Request) bool {
		sent <- r.Header.Get("Authorization")
		return false
	})
	home := newGitServer(t, filepath.Dir(dir))
	home.only(closed("hunter2"))
	inner := home.Config.Handler
	home.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password == "hunter2" {
			http.Redirect(w, r, other.URL+r.URL.String(), http.StatusFound)
			return
		}
		inner.ServeHTTP(w, r)
	})
	p.git(t, home.URL, "hunter2")
	if _, err := newRegistry(t, Options{Logins: true, Permits: Everywhere}).Snapshot(t.Context(), gitops.SourceRef{RepoURL: home.URL + "/repo"}); err == nil {
		t.Error("it was let in")
	}
	if len(sent) == 0 {
		t.Fatal("the other server was not asked")
	}
	for len(sent) > 0 {
		if got := <-sent; got != "" {
			t.Errorf("the other server got %q", got)
		}
	}
}

// TestLoginsOfHelmAndDocker reads charts with what Helm and Docker have.
func TestLoginsOfHelmAndDocker(t *testing.T) {
	archives := map[string][]byte{"web-1.0.0.tgz": packed(t, "web", "1.0.0")}
	basic := base64.StdEncoding.EncodeToString([]byte("me:hunter2"))
	tests := map[string]struct {
		reason string
		sign   func(t *testing.T, p person, host string)
		oci    bool
		works  bool
	}{
		"Helm": {"what helm repo add wrote", func(t *testing.T, p person, host string) {
			write(t, p.home, ".config/helm/repositories.yaml", "repositories:\n- name: ours\n  url: http://"+host+"/charts/\n  username: me\n  password: hunter2\n")
		}, false, true},
		"HelmElsewhere": {"it is for another host", func(t *testing.T, p person, _ string) {
			write(t, p.home, ".config/helm/repositories.yaml", "repositories:\n- name: ours\n  url: http://127.0.0.1:1/charts/\n  username: me\n  password: hunter2\n")
		}, false, false},
		"Docker": {"what docker login wrote", func(t *testing.T, p person, host string) {
			write(t, p.home, ".docker/config.json", fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, basic))
		}, true, true},
		"DockerHelper": {"what a helper of Docker's has", func(t *testing.T, p person, host string) {
			write(t, p.home, ".docker/config.json", fmt.Sprintf(`{"credHelpers": {%q: "tests"}}`, host))
			write(t, p.home, "bin/docker-credential-tests", "#!/bin/sh\necho '{\"Username\": \"me\", \"Secret\": \"hunter2\"}'\n")
			if err := os.Chmod(filepath.Join(p.home, "bin/docker-credential-tests"), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", filepath.Join(p.home, "bin")+":"+os.Getenv("PATH"))
		}, true, true},
		"DockerElsewhere": {"it is for another host", func(t *testing.T, p person, _ string) {
			write(t, p.home, ".docker/config.json", fmt.Sprintf(`{"auths": {"127.0.0.1:1": {"auth": %q}}}`, basic))
		}, true, false},
		"HelmRegistry": {"what helm registry login wrote", func(t *testing.T, p person, host string) {
			write(t, p.home, ".config/helm/registry/config.json", fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, basic))
		}, true, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t)
			ref := gitops.SourceRef{Chart: "web", Revision: "1.0.0"}
			if tc.oci {
				server := newOCIServer(t)
				server.push(t, "charts/web", "1.0.0", chartType, packed(t, "web", "1.0.0"))
				server.password.Store("hunter2")
				tc.sign(t, p, server.host)
				ref.RepoURL = "oci://" + server.host + "/charts"
			} else {
				server := newHelmServer(t, archives, "entries:\n  web:\n  - version: 1.0.0\n    urls: [web-1.0.0.tgz]\n")
				server.user = "me:hunter2"
				tc.sign(t, p, strings.TrimPrefix(server.URL, "http://"))
				ref.RepoURL = server.URL + "/charts"
			}
			_, err := newRegistry(t, Options{Logins: true, SignIn: "sign in"}).Snapshot(t.Context(), ref)
			if tc.works != (err == nil) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if err != nil && problem(t, err).Fix != "sign in" {
				t.Errorf("%s: the error does not say what to do: %v", tc.reason, err)
			}
			if _, err := newRegistry(t, Options{}).Snapshot(t.Context(), ref); err == nil {
				t.Error("it is open for everybody")
			}
		})
	}
}

// TestNoKeys refuses what ssh would open with keys of this machine.
func TestNoKeys(t *testing.T) {
	_, err := newRegistry(t, Options{NoKeys: true, SignIn: "say what opens it"}).Snapshot(t.Context(), gitops.SourceRef{RepoURL: "git@127.0.0.1:repo"})
	if p := problem(t, err); p.Kind != gitops.Refused || p.Fix != "say what opens it" {
		t.Errorf("got %v", err)
	}
}

// TestUnknownHost is no matter of who signs in.
func TestUnknownHost(t *testing.T) {
	newPerson(t)
	_, public := sshtest.Key(t)
	_, err := newRegistry(t, Options{Logins: true, SignIn: "sign in"}).Snapshot(t.Context(), gitops.SourceRef{RepoURL: "ssh://git@" + sshtest.Start(t, public).Addr + "/repo"})
	if p := problem(t, err); p.Kind != gitops.Refused || !strings.Contains(p.Fix, "known_hosts") {
		t.Errorf("got %v", err)
	}
}
