package cli

import (
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/test/planted"
)

// plantedUser is a person who is signed in by helpers of Git's and Docker's and by Helm's file, and what is started for them.
type plantedUser struct {
	bed *planted.Bed
	// bin has programs that note their arguments in notes, before those of the machine do the work.
	bin, notes string
	// repository is read with what Git's helper has, charts with what Helm has; registry refuses what Docker's helper has.
	repository, charts, registry string
}

func newPlantedUser(t *testing.T) *plantedUser {
	t.Helper()
	u := &plantedUser{bed: &planted.Bed{}, bin: t.TempDir(), notes: t.TempDir()}
	git, charts, docker := u.bed.Text("helper of Git"), u.bed.Text("file of Helm"), u.bed.Text("helper of Docker")
	if err := u.bed.Err(); err != nil {
		t.Fatal(err)
	}
	u.charts = chartsFor(t, charts)
	u.repository = gitFor(t, git)
	for _, name := range []string{"git", "sh", "ssh"} {
		behind, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("%s is not installed", name)
		}
		u.script(t, name, fmt.Sprintf("tr '\\0' ' ' < /proc/$$/cmdline > %s/%s-$$.argv\nexec %s \"$@\"\n", u.notes, name, behind))
	}
	u.registry = u.refusing(t)
	u.helper(t, "git-credential-planted", "username=me\npassword="+git+"\n")
	u.helper(t, "docker-credential-planted", `{"Username": "me", "Secret": "`+docker+`"}`)
	logins := filepath.Dir(file(t, "config.json", `{"credHelpers": {"`+u.registry+`": "planted"}}`))
	config := file(t, "gitconfig", "[credential]\n\thelper = planted\n")
	repositories := file(t, "repositories.yaml", "repositories:\n- {name: ours, url: '"+u.charts+"', username: me, password: "+charts+"}\n")
	for name, value := range map[string]string{
		"PATH": u.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_NOSYSTEM": "1",
		"HELM_REPOSITORY_CONFIG": repositories, "NETRC": "", "DOCKER_CONFIG": logins,
	} {
		t.Setenv(name, value)
	}
	return u
}

// helper is a program that answers. It reads what it says: in its own text, the shell that runs it would have that as an argument.
func (u *plantedUser) helper(t *testing.T, name, answer string) {
	t.Helper()
	u.script(t, name, fmt.Sprintf("tr '\\0' ' ' < /proc/$$/cmdline > %s/%s-$$.argv\n[ \"$1\" = get ] && exec cat %s\nexit 0\n", u.notes, name, file(t, "answer", answer)))
}

// refusing is a registry that takes no password, and repeats it.
func (u *plantedUser) refusing(t *testing.T) (host string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.bed.Saw([]byte(r.Header.Get("Authorization")))
		w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
		http.Error(w, "no: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func (u *plantedUser) script(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(u.bin, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// gitFor is a repository that a password opens.
func gitFor(t *testing.T, password string) string {
	t.Helper()
	root := t.TempDir()
	commitAll(t, filepath.Join(root, "repo"), map[string]string{"app/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: by-login}\n"})
	out, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), Env: []string{
		"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}}
	if _, err := os.Stat(backend.Path); err != nil {
		t.Skip("git-http-backend is not installed")
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, given, _ := r.BasicAuth(); given != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		h := *backend
		if protocol := r.Header.Get("Git-Protocol"); protocol != "" {
			h.Env = append(slices.Clone(h.Env), "GIT_PROTOCOL="+protocol)
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/repo"
}

// What a person is signed in with is in no argument of a program, which everybody on the machine may read, and in nothing
// that stays on the disk.
func TestPlantedLoginsOfAUserAreNotTold(t *testing.T) {
	u := newPlantedUser(t)
	applications := plantedApplication("git", "repoURL: '"+u.repository+"', path: app") + plantedApplication("charts", "repoURL: '"+u.charts+"', chart: web, targetRevision: 1.0.0")
	checkout, cache, mirror := t.TempDir(), t.TempDir(), t.TempDir()
	commitAll(t, checkout, map[string]string{
		"apps.yaml": applications,
		"dev.yaml":  "apiVersion: v1\nkind: Secret\nmetadata: {name: dev, labels: {argocd.argoproj.io/secret-type: cluster}}\nstringData: {name: dev, server: 'https://dev.example.com'}\n",
	})
	looks := []string{"--repo", checkout, "--cache-dir", cache, "--credentials", "user"}
	refused := file(t, "refused.yaml", plantedApplication("refused", "repoURL: 'oci://"+u.registry+"/charts', chart: web, targetRevision: 1.0.0"))
	for name, tc := range map[string]struct {
		args []string
		code int
		has  []string
	}{
		"Render":  {[]string{"render", "--file", filepath.Join(checkout, "apps.yaml"), "--credentials", "user"}, command.ExitFine, []string{"by-login", "of-the-chart"}},
		"Refused": {[]string{"render", "--file", refused, "--credentials", "user"}, command.ExitFailed, []string{"application refused"}},
		"Mirror":  {append([]string{"mirror", "--to", mirror}, looks...), command.ExitFine, []string{"2 references"}},
		"Lint":    {append([]string{"lint"}, looks...), command.ExitFine, []string{"2 applications"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, tc.args...)
			for _, part := range tc.has {
				if got.code != tc.code || !strings.Contains(got.out+got.errors, part) {
					t.Errorf("exit %d without %q: %s%s", got.code, part, got.out, got.errors)
				}
			}
			for _, found := range u.bed.Find([]byte(got.out + got.errors)) {
				t.Errorf("it prints %v", found)
			}
		})
	}
	if slices.Contains(u.bed.Unused(), "helper of Docker") {
		t.Error("the registry was never sent what Docker's helper has")
	}
	for _, name := range []string{"git", "git-credential-planted", "docker-credential-planted"} {
		if noted, err := filepath.Glob(filepath.Join(u.notes, name+"-[0-9]*")); err != nil || len(noted) == 0 {
			t.Errorf("no arguments of %s were noted: %v", name, err)
		}
	}
	looksBelow(t, u.bed, u.notes)
	looksBelow(t, u.bed, cache)
	looksBelow(t, u.bed, mirror)
}
