package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	installation "github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/offline"
)

// What --credentials can say, besides a file or folder.
const (
	ownCredentials     = "user"
	noCredentials      = "none"
	credentialsContext = "context:"
)

// credentialsFlag is the value of --credentials; empty where nobody says.
type credentialsFlag string

// String implements pflag.Value.
func (c *credentialsFlag) String() string { return string(*c) }

// Type implements pflag.Value.
func (c *credentialsFlag) Type() string { return "string" }

// Set refuses what names nothing: a variable that is not set would else be
// taken for the default.
func (c *credentialsFlag) Set(text string) error {
	switch text {
	case "":
		return errors.New("it is empty; write user, none, context:NAME, or where repository Secrets are")
	case credentialsContext:
		return errors.New("it names no context; write context:NAME, with one of the kubeconfig")
	}
	*c = credentialsFlag(text)
	return nil
}

const credentialsUsage = "what opens private repositories: user (Git's credential helpers, netrc, ssh's keys, Docker's and Helm's logins), none, " +
	"a file or folder of repository Secrets, or context:NAME for those of a hub (default: user, or none where the variable CI is set and is neither false nor 0)"

// offlineCredentials are what --credentials says.
func (g *global) offlineCredentials(ctx context.Context, said credentialsFlag) (offline.Credentials, error) {
	text := string(said)
	if text == "" {
		text = usualCredentials()
	}
	switch name, isContext := strings.CutPrefix(text, credentialsContext); {
	case text == ownCredentials:
		return offline.Credentials{Logins: true, Advice: "sign in to it as you would for git, docker or helm, or give repository Secrets with --credentials FOLDER"}, nil
	case text == noCredentials:
		return offline.Credentials{Advice: "say what opens it with --credentials: user for what you are signed in with, or a folder of repository Secrets"}, nil
	case isContext:
		return g.credentialsOf(ctx, name)
	}
	if err := steady("credentials", text); err != nil {
		return offline.Credentials{}, err
	}
	known, err := offline.CredentialsIn(text)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return offline.Credentials{}, usagef("cannot use --credentials %s: there is no such file or folder; write user, none, context:NAME, or where repository Secrets are", text)
	case err != nil:
		return offline.Credentials{}, fmt.Errorf("cannot use --credentials: %w", err)
	}
	return offline.Credentials{Known: known, Advice: "correct or add its repository Secret in " + text}, nil
}

// usualCredentials are those of a person, and none for a job, which looks at
// what others propose.
func usualCredentials() string {
	switch strings.ToLower(os.Getenv("CI")) {
	case "", "false", "0":
		return ownCredentials
	}
	return noCredentials
}

// credentialsOf is what the hub of a context opens repositories with.
func (g *global) credentialsOf(ctx context.Context, name string) (offline.Credentials, error) {
	at := *g
	at.context = name
	h, err := at.connect()
	if err != nil {
		return offline.Credentials{}, fmt.Errorf("cannot use --credentials %s%s: %w", credentialsContext, name, err)
	}
	known, broken, err := installation.ReadRepositories(ctx, h.config, h.namespace)
	if err != nil {
		return offline.Credentials{}, fmt.Errorf("cannot use --credentials %s%s: %w", credentialsContext, name, err)
	}
	for _, e := range broken {
		_, _ = fmt.Fprintf(g.Err, "warning: %v; it is not used\n", e)
	}
	return offline.Credentials{Known: known, Advice: "correct or add its repository Secret in context " + name}, nil
}
