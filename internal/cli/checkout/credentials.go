package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	installation "github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/offline"
)

// What --credentials can say, besides a file or folder.
const (
	ownCredentials     = "user"
	noCredentials      = "none"
	credentialsContext = "context:"
)

// CredentialsFlag is the value of --credentials; empty where nobody says.
type CredentialsFlag string

// String implements pflag.Value.
func (c *CredentialsFlag) String() string { return string(*c) }

// Type implements pflag.Value.
func (c *CredentialsFlag) Type() string { return "string" }

// Set refuses what names nothing: a variable that is not set would else be
// taken for the default.
func (c *CredentialsFlag) Set(text string) error {
	switch text {
	case "":
		return errors.New("it is empty; write user, none, context:NAME, or where repository Secrets are")
	case credentialsContext:
		return errors.New("it names no context; write context:NAME, with one of the kubeconfig")
	}
	*c = CredentialsFlag(text)
	return nil
}

// CredentialsUsage is the help of --credentials.
const CredentialsUsage = "what opens private repositories: user (Git's credential helpers, netrc, ssh's keys, Docker's and Helm's logins), none, " +
	"a file or folder of repository Secrets, or context:NAME for those of a hub (default: user, or none where the variable CI is set and is neither false nor 0)"

// Credentials are what --credentials says.
func Credentials(ctx context.Context, g *command.Global, said CredentialsFlag) (offline.Credentials, error) {
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
		return credentialsOf(ctx, g, name)
	}
	if err := command.Steady("credentials", text); err != nil {
		return offline.Credentials{}, err
	}
	known, err := offline.CredentialsIn(text)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return offline.Credentials{}, command.Usagef("cannot use --credentials %s: there is no such file or folder; write user, none, context:NAME, or where repository Secrets are", text)
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
func credentialsOf(ctx context.Context, g *command.Global, name string) (offline.Credentials, error) {
	at := *g
	at.Context = name
	h, err := target.Connect(&at)
	if err != nil {
		return offline.Credentials{}, fmt.Errorf("cannot use --credentials %s%s: %w", credentialsContext, name, err)
	}
	known, broken, err := installation.ReadRepositories(ctx, h.Config, h.Namespace)
	if err != nil {
		return offline.Credentials{}, fmt.Errorf("cannot use --credentials %s%s: %w", credentialsContext, name, err)
	}
	for _, e := range broken {
		_, _ = fmt.Fprintf(g.Err, "warning: %v; it is not used\n", e)
	}
	return offline.Credentials{Known: known, Advice: "correct or add its repository Secret in context " + name}, nil
}
