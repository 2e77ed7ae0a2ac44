package install

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// repositoryFlags say where the fleet's repository is, and what opens it. No
// flag takes a secret: the command line is seen by others.
type repositoryFlags struct {
	url, path, revision string
	username            string
	app                 appFlags
	// files have secrets, by the flag that names them.
	files map[string]*string
}

// secretFlag is a key of a repository Secret that comes from a file, or else
// from a variable.
type secretFlag struct{ key, flag, variable, what string }

func secretFlags() []secretFlag {
	return []secretFlag{
		{"password", "repo-password-file", "CAUSEWAY_REPO_PASSWORD", "the password or token"},
		{"sshPrivateKey", "repo-ssh-key-file", "CAUSEWAY_REPO_SSH_KEY", "the SSH private key"},
		{"bearerToken", "repo-bearer-token-file", "CAUSEWAY_REPO_BEARER_TOKEN", "the bearer token"},
		{keyOfApp, "repo-github-app-private-key-file", "CAUSEWAY_REPO_GITHUB_APP_PRIVATE_KEY", "the private key of a GitHub App"},
		{"tlsClientCertData", "repo-tls-client-cert-file", "CAUSEWAY_REPO_TLS_CLIENT_CERT", "the client certificate"},
		{"tlsClientCertKey", "repo-tls-client-cert-key-file", "CAUSEWAY_REPO_TLS_CLIENT_CERT_KEY", "the key of the client certificate"},
	}
}

func (r *repositoryFlags) register(f *pflag.FlagSet) {
	f.StringVar(&r.url, "repo", "", "address of the Git repository")
	f.StringVar(&r.path, "path", "", "folder of the fleet's layout in the repository (default: its root)")
	f.StringVar(&r.revision, "revision", "", "branch, tag or commit (default: HEAD, or what the hub's Secret says)")
	f.StringVar(&r.username, "repo-username", "", "user that signs in to the repository")
	r.app.register(f)
	r.files = map[string]*string{}
	for _, s := range secretFlags() {
		r.files[s.flag] = f.String(s.flag, "", "file with "+s.what+" for the repository [else $"+s.variable+"]")
	}
}

// read makes the repository, with its secrets.
func (r *repositoryFlags) read(namespace string) (bootstrap.Repository, error) {
	out := bootstrap.Repository{Namespace: namespace, URL: r.url, Keys: map[string]access.Secret{}}
	for _, s := range secretFlags() {
		text, err := r.secret(s)
		if err != nil {
			return out, err
		}
		if text != "" {
			out.Keys[s.key] = text
		}
	}
	if r.username != "" {
		out.Keys["username"] = access.Secret(r.username)
	}
	if (out.Keys["tlsClientCertData"] == "") != (out.Keys["tlsClientCertKey"] == "") {
		return out, command.Usagef("cannot use half a client certificate: give both --repo-tls-client-cert-file and --repo-tls-client-cert-key-file")
	}
	if err := r.app.into(out.Keys); err != nil {
		return out, err
	}
	return out, out.Check()
}

func (r *repositoryFlags) secret(s secretFlag) (access.Secret, error) {
	text, err := r.text(s)
	if err != nil {
		return "", err
	}
	if s.key == "password" || s.key == "bearerToken" {
		return access.Secret(strings.TrimSpace(text)), nil
	}
	return access.Secret(text), nil // PEM ends with a line
}

// text is what the file of a flag has, or else the variable. What is blank was
// meant to be a secret, and is none.
func (r *repositoryFlags) text(s secretFlag) (string, error) {
	name := *r.files[s.flag]
	if name == "" {
		text := os.Getenv(s.variable)
		if text != "" && strings.TrimSpace(text) == "" {
			return "", fmt.Errorf("cannot use $%s: it is blank; set it to %s, or unset it", s.variable, s.what)
		}
		return text, nil
	}
	text, err := command.ReadNamed(name, command.LongestInput)
	if err != nil {
		return "", fmt.Errorf("cannot read --%s: %w", s.flag, err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return "", fmt.Errorf("cannot use --%s: %s is empty", s.flag, name)
	}
	return string(text), nil
}

// keyOfApp is the key of a repository Secret with which a GitHub App signs in.
const keyOfApp = "githubAppPrivateKey"

// appFlags tell of a GitHub App what is no secret.
type appFlags struct {
	id, installation uint64
	server           string
}

func (a *appFlags) register(f *pflag.FlagSet) {
	f.Uint64Var(&a.id, "repo-github-app-id", 0, "number of the GitHub App that signs in to the repository")
	f.Uint64Var(&a.installation, "repo-github-app-installation-id", 0, "number of its installation (default: found by the repository's owner)")
	f.StringVar(&a.server, "repo-github-app-enterprise-base-url", "", "API of a GitHub server of your own, as in https://github.example.com/api/v3")
}

// into adds the keys that belong to the App's private key.
func (a *appFlags) into(keys map[string]access.Secret) error {
	_, signs := keys[keyOfApp]
	given := map[string]access.Secret{}
	for key, number := range map[string]uint64{"githubAppID": a.id, "githubAppInstallationID": a.installation} {
		if number > 0 {
			given[key] = access.Secret(strconv.FormatUint(number, 10))
		}
	}
	if a.server != "" {
		given["githubAppEnterpriseBaseUrl"] = access.Secret(a.server)
	}
	switch {
	case signs && a.id == 0:
		return command.Usagef("cannot sign in as a GitHub App without its number: add --repo-github-app-id")
	case !signs && len(given) > 0:
		return command.Usagef("cannot sign in as a GitHub App without its private key: add --repo-github-app-private-key-file, or set $CAUSEWAY_REPO_GITHUB_APP_PRIVATE_KEY")
	}
	maps.Copy(keys, given)
	return nil
}

// memberFlags describe the hub as a cluster of its fleet.
type memberFlags struct {
	name                string
	metadata            string
	labels, annotations []string
	roots               []string
}

func (m *memberFlags) register(f *pflag.FlagSet) {
	f.StringVar(&m.name, "cluster", "hub", "name of the hub in its fleet, where it has none yet")
	f.StringVar(&m.metadata, "metadata", "", "file with labels and annotations for the hub's Secret")
	f.StringArrayVar(&m.labels, "label", nil, "label of the hub's Secret, as in enable_metrics_server=true; can be repeated, wins over --metadata")
	f.StringArrayVar(&m.annotations, "annotation", nil, "annotation of the hub's Secret, as KEY=VALUE; can be repeated, wins over --metadata")
	f.StringSliceVar(&m.roots, "roots", bootstrap.RootNames(), "root applications to make")
}

// read makes the description, with the file's metadata.
func (m *memberFlags) read(namespace string, repo repositoryFlags) (bootstrap.Hub, error) {
	out := bootstrap.Hub{Namespace: namespace, Name: m.name, URL: repo.url, Revision: repo.revision, Path: repo.path, Roots: command.Compact(m.roots)}
	var file bootstrap.Metadata
	if m.metadata != "" {
		text, err := command.ReadNamed(m.metadata, command.LongestInput)
		if err != nil {
			return out, fmt.Errorf("cannot read --metadata: %w", err)
		}
		if file, err = bootstrap.ReadMetadata(m.metadata, text); err != nil {
			return out, err
		}
	}
	flags := bootstrap.Metadata{Labels: map[string]string{}, Annotations: map[string]string{}}
	if err := bootstrap.Add(flags.Labels, m.labels); err != nil {
		return out, command.UsageError{Err: fmt.Errorf("--label: %w", err)}
	}
	if err := bootstrap.Add(flags.Annotations, m.annotations); err != nil {
		return out, command.UsageError{Err: fmt.Errorf("--annotation: %w", err)}
	}
	out.Metadata = file.Over(flags)
	return out, out.Check()
}
