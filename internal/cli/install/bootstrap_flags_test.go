package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

func TestRepositoryFlags(t *testing.T) {
	const pem = "-----BEGIN KEY-----\nx\n-----END KEY-----\n"
	folder := t.TempDir()
	key, password, blank := filepath.Join(folder, "key.pem"), filepath.Join(folder, "password"), filepath.Join(folder, "blank")
	if err := errors.Join(os.WriteFile(blank, []byte("\n"), 0o600), os.WriteFile(key, []byte(pem), 0o600), os.WriteFile(password, []byte("hunter2\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		reason string
		args   []string
		env    map[string]string
		want   map[string]string
		wrong  string
	}{
		"None":             {reason: "a public repository needs no key", want: map[string]string{}},
		"Password":         {reason: "the end of its line is no part of it", args: []string{"--repo-username", "me", "--repo-password-file", password}, want: map[string]string{"username": "me", "password": "hunter2"}},
		"PasswordVariable": {reason: "nor is it where a variable has it", args: []string{"--repo-username", "me"}, env: map[string]string{"CAUSEWAY_REPO_PASSWORD": "hunter2\r\n"}, want: map[string]string{"username": "me", "password": "hunter2"}},
		"TokenVariable":    {reason: "a header has one line", env: map[string]string{"CAUSEWAY_REPO_BEARER_TOKEN": "t0ken\n"}, want: map[string]string{"bearerToken": "t0ken"}},
		"EmptyVariable":    {reason: "CI sets what is not given to nothing", env: map[string]string{"CAUSEWAY_REPO_PASSWORD": "", "CAUSEWAY_REPO_SSH_KEY": ""}, want: map[string]string{}},
		"BlankVariable":    {reason: "a secret was meant, and none is there", env: map[string]string{"CAUSEWAY_REPO_SSH_KEY": " \n"}, wrong: "cannot use $CAUSEWAY_REPO_SSH_KEY: it is blank"},
		"FileFirst":        {reason: "what is written in the command says more than what is around it", args: []string{"--repo-username", "me", "--repo-password-file", password}, env: map[string]string{"CAUSEWAY_REPO_PASSWORD": "other"}, want: map[string]string{"username": "me", "password": "hunter2"}},
		"BlankFile":        {reason: "a secret was meant, and none is there", args: []string{"--repo-bearer-token-file", blank}, env: map[string]string{"CAUSEWAY_REPO_BEARER_TOKEN": "t0ken"}, wrong: "cannot use --repo-bearer-token-file: " + blank + " is empty"},
		"HalfVariable":     {reason: "half a certificate opens nothing, wherever it is from", env: map[string]string{"CAUSEWAY_REPO_TLS_CLIENT_CERT_KEY": pem}, wrong: "give both --repo-tls-client-cert-file"},
		"AppInstallation":  {reason: "an installation signs in by the App's key", args: []string{"--repo-github-app-installation-id", "8"}, wrong: "CAUSEWAY_REPO_GITHUB_APP_PRIVATE_KEY"},
		"AppServer":        {reason: "so does an App of another server", args: []string{"--repo-github-app-enterprise-base-url", "https://github.example.com/api/v3"}, wrong: "--repo-github-app-private-key-file"},
		"AppZero":          {reason: "no App has this number", args: []string{"--repo-github-app-id", "0", "--repo-github-app-private-key-file", key}, wrong: "--repo-github-app-id"},
		"AppLargest":       {reason: "numbers are taken as they are", args: []string{"--repo-github-app-id", "9223372036854775807", "--repo-github-app-private-key-file", key}, want: map[string]string{"githubAppID": "9223372036854775807", "githubAppPrivateKey": pem}},
		"App": {reason: "the keys of Argo CD's Secret", args: []string{
			"--repo-github-app-id", "7", "--repo-github-app-installation-id", "8", "--repo-github-app-private-key-file", key, "--repo-github-app-enterprise-base-url", "https://github.example.com/api/v3",
		}, want: map[string]string{"githubAppID": "7", "githubAppInstallationID": "8", "githubAppPrivateKey": pem, "githubAppEnterpriseBaseUrl": "https://github.example.com/api/v3"}},
		"AppVariable": {reason: "CI has secrets in variables", args: []string{"--repo-github-app-id", "7"}, env: map[string]string{"CAUSEWAY_REPO_GITHUB_APP_PRIVATE_KEY": pem}, want: map[string]string{"githubAppID": "7", "githubAppPrivateKey": pem}},
		"AppNoID":     {reason: "a key of which App", args: []string{"--repo-github-app-private-key-file", key}, wrong: "--repo-github-app-id"},
		"AppNoKey":    {reason: "an App signs by its key", args: []string{"--repo-github-app-id", "7"}, wrong: "--repo-github-app-private-key-file"},
		"AppWord":     {reason: "it is a number", args: []string{"--repo-github-app-id", "mine"}, wrong: "--repo-github-app-id"},
		"Certificate": {reason: "PEM is taken as it is", args: []string{"--repo-tls-client-cert-file", key, "--repo-tls-client-cert-key-file", key}, want: map[string]string{"tlsClientCertData": pem, "tlsClientCertKey": pem}},
		"HalfOf":      {reason: "half a certificate opens nothing", args: []string{"--repo-tls-client-cert-file", key}, wrong: "--repo-tls-client-cert-key-file"},
		"Lost":        {reason: "the flag of the file", args: []string{"--repo-tls-client-cert-file", "/nope"}, wrong: "--repo-tls-client-cert-file"},
	} {
		t.Run(name, func(t *testing.T) {
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			r := &repositoryFlags{}
			flags := pflag.NewFlagSet("bootstrap", pflag.ContinueOnError)
			r.register(flags)
			err := flags.Parse(append([]string{"--repo", "https://git.example.com/team/fleet"}, c.args...))
			got := map[string]string{}
			if err == nil {
				repo, wrong := r.read("argocd")
				err = wrong
				for key, value := range repo.Keys {
					got[key] = value.Reveal()
				}
			}
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "BEGIN") {
					t.Errorf("%s: got error %v, want one with %q", c.reason, err, c.wrong)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%s: error %v, (-want +got):\n%s", c.reason, err, diff)
			}
		})
	}
}
