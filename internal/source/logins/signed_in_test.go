package logins

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// desk is a person with a home of their own, and what the log has of them.
type desk struct {
	t    *testing.T
	home string
	log  strings.Builder
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, home: t.TempDir()}
	for name, value := range map[string]string{
		"HOME": d.home, "GIT_CONFIG_NOSYSTEM": "1", "NETRC": "", "DOCKER_CONFIG": filepath.Join(d.home, "docker"),
		"HELM_REPOSITORY_CONFIG": filepath.Join(d.home, "repositories.yaml"), "HELM_REGISTRY_CONFIG": filepath.Join(d.home, "helm.json"), "PATH": os.Getenv("PATH") + ":" + d.home,
	} {
		t.Setenv(name, value)
	}
	return d
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.home, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) user() *User {
	d.t.Helper()
	command, err := git.NewCommand(d.t.TempDir(), time.Minute)
	if err != nil {
		d.t.Fatal(err)
	}
	return New(command, slog.New(slog.NewTextHandler(&d.log, nil)))
}

func at(t *testing.T, raw string) address.Address {
	t.Helper()
	a, err := address.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestRepositoriesOfHelm reads what "helm repo add" wrote.
func TestRepositoriesOfHelm(t *testing.T) {
	d := newDesk(t)
	d.write("cert", "certificate")
	d.write("key", "private")
	d.write("ca", "authority")
	d.write(".netrc", "machine netrc.example.org login net password rc")
	d.write("repositories.yaml", fmt.Sprintf(`apiVersion: ""
repositories:
- {name: open, url: "https://open.example.org/charts"}
- {name: own, url: "https://charts.example.org/own", username: me, password: hunter2, caFile: %[1]s/ca}
- {name: sealed, url: "https://tls.example.org", certFile: %[1]s/cert, keyFile: %[1]s/key, insecure_skip_tls_verify: true}
- {name: half, url: "https://half.example.org", certFile: %[1]s/cert}
- {name: netrc, url: "https://netrc.example.org/a", caFile: %[1]s/ca}
- {name: gone, url: "https://gone.example.org", username: me, password: x, caFile: %[1]s/none}
- {name: odd, url: "://"}
`, d.home))
	u := d.user()
	for name, tc := range map[string]struct {
		reason, url string
		want        access.Credential
	}{
		"Open":    {"nobody signs in", "https://open.example.org/charts", access.Credential{}},
		"Own":     {"with a password and an authority", "https://charts.example.org/own", access.Credential{Username: "me", Password: "hunter2", CA: "authority"}},
		"Below":   {"a repository is for itself", "https://charts.example.org/other", access.Credential{}},
		"Sealed":  {"with a certificate", "https://tls.example.org", access.Credential{TLSCert: "certificate", TLSKey: "private", Insecure: true}},
		"Half":    {"a certificate without a key is none", "https://half.example.org", access.Credential{}},
		"Netrc":   {"the password of netrc, and Helm's way to the server", "https://netrc.example.org/a", access.Credential{Username: "net", Password: "rc", CA: "authority"}},
		"Gone":    {"a file that is not there is nothing", "https://gone.example.org", access.Credential{Username: "me", Password: "x"}},
		"Nowhere": {"one that nobody added", "https://new.example.org", access.Credential{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := u.Charts(at(t, tc.url)); got != tc.want {
				t.Errorf("%s: got %+v", tc.reason, got)
			}
		})
	}
}

// TestFilesThatAreNoLogins are told of, without what is in them, and nobody signs in.
func TestFilesThatAreNoLogins(t *testing.T) {
	d := newDesk(t)
	d.write("repositories.yaml", "repositories: {a: hunter2")
	d.write(".netrc", strings.Repeat("machine h login me password hunter2\n", maxFile/30))
	u := d.user()
	if got := u.Charts(at(t, "https://h/r")); got != (access.Credential{}) {
		t.Errorf("got %+v", got)
	}
	for _, want := range []string{"repositories.yaml", ".netrc"} {
		if log := d.log.String(); !strings.Contains(log, want) || strings.Contains(log, "hunter2") {
			t.Errorf("the log has of %s: %s", want, log)
		}
	}
}

// TestLoginsOfRegistries: Docker's come before Helm's, a helper's before those in
// the file, and each host is asked about once.
func TestLoginsOfRegistries(t *testing.T) {
	d := newDesk(t)
	// of "me:docker" and "me:helm"
	d.write("docker/config.json", `{"auths":{"docker.example.org":{"auth":"bWU6ZG9ja2Vy"},"both.example.org":{"auth":"bWU6ZG9ja2Vy"}},"credHelpers":{"helped.example.org":"tried","broken.example.org":"broken"}}`)
	d.write("helm.json", `{"auths":{"helm.example.org":{"auth":"bWU6aGVsbQ=="},"both.example.org":{"auth":"bWU6aGVsbQ=="}}}`)
	d.write("docker-credential-tried", "#!/bin/sh\necho asked >> "+d.home+"/asked\necho '{\"Username\":\"me\",\"Secret\":\"helper\"}'\n")
	d.write("docker-credential-broken", "#!/bin/sh\necho hunter2 >&2\nexit 1\n")
	u := d.user()
	for host, want := range map[string]string{
		"docker.example.org": "docker", "helm.example.org": "helm", "both.example.org": "docker", "helped.example.org": "helper", "none.example.org": "", "broken.example.org": "",
	} {
		for range 2 {
			if got := u.Registry(t.Context(), host); got.Password != want {
				t.Errorf("%s: got %q, want %q", host, got.Password, want)
			}
		}
	}
	if asked, err := os.ReadFile(filepath.Join(d.home, "asked")); err != nil || string(asked) != "asked\n" {
		t.Errorf("the helper was asked: %q, %v", asked, err)
	}
	if log := d.log.String(); !strings.Contains(log, "broken.example.org") || strings.Contains(log, "hunter2") {
		t.Errorf("the log has of a helper that fails: %s", log)
	}
}

// TestWhoGaveUpIsAskedAgain: an answer that nobody waited for is none.
func TestWhoGaveUpIsAskedAgain(t *testing.T) {
	d := newDesk(t)
	d.write("docker/config.json", `{"auths":{"docker.example.org":{"auth":"bWU6ZG9ja2Vy"}}}`)
	d.write(".netrc", "machine git.example.org login me password net")
	u := d.user()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := u.Registry(ctx, "docker.example.org"); got != auth.EmptyCredential {
		t.Errorf("somebody gave up, and got %v", got)
	}
	u.Git(ctx, at(t, "https://git.example.org/r"))
	if got := u.Registry(t.Context(), "docker.example.org"); got.Password != "docker" {
		t.Errorf("the next one got %v", got)
	}
	if got := u.Git(t.Context(), at(t, "https://git.example.org/r")); got.Password != "net" {
		t.Errorf("the next one got %v of Git", got)
	}
}

// TestHelpersAreAskedOnce for each repository and user: one may have to unlock something.
func TestHelpersAreAskedOnce(t *testing.T) {
	d := newDesk(t)
	d.write(".gitconfig", "[credential]\n\tuseHttpPath = true\n\thelper = \"!sed -n 's/^path=//p' >> "+d.home+"/asked; echo username=me; echo password=x; :\"\n")
	u := d.user()
	for _, url := range []string{"https://h/a", "https://h/a", "https://h/b", "https://me@h/a", "https://me@h/a"} {
		if got := u.Git(t.Context(), at(t, url)); got.Password != "x" {
			t.Errorf("%s: got %v", url, got)
		}
	}
	asked, err := os.ReadFile(filepath.Join(d.home, "asked"))
	if got := strings.Join(strings.Fields(string(asked)), " "); err != nil || got != "a b a" {
		t.Errorf("it was asked for %q, %v", got, err)
	}
}
