package target

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/local"
)

// Dial makes the client of the server, with a token or without.
func Dial(g *command.Global, token string) (*client.Client, error) {
	o := client.Options{Server: g.Server.Address, Token: token, Unverified: g.Server.Unverified, Agent: "causeway/" + g.Version}
	if g.Server.Ca != "" {
		text, err := command.ReadNamed(g.Server.Ca, command.LongestInput)
		if err != nil {
			return nil, fmt.Errorf("cannot read --server-ca: %w", err)
		}
		o.CA = text
	}
	return client.New(o)
}

// MaxTokenFile bounds what is read of a file that is named as one with a token.
const MaxTokenFile = 64 << 10

// token is what the server is sent: of a file, of the environment, or of an
// earlier login.
func token(g *command.Global) (string, error) {
	if g.Server.TokenFile != "" {
		text, err := command.ReadNamed(g.Server.TokenFile, MaxTokenFile)
		if err != nil {
			return "", fmt.Errorf("cannot read --token-file: %w", err)
		}
		token := strings.TrimSpace(string(text))
		if token == "" || strings.ContainsAny(token, " \n\r\t") {
			return "", fmt.Errorf("%s is no file with a token alone", g.Server.TokenFile)
		}
		return token, nil
	}
	if token := strings.TrimSpace(os.Getenv(command.VariableToken)); token != "" {
		return token, nil
	}
	kept, err := ReadLogins()
	if err != nil {
		return "", err
	}
	base, err := client.Base(g.Server.Address)
	if err != nil {
		return "", command.UsageError{Err: err}
	}
	if token := kept.Servers[base.String()].Token; token != "" {
		return token, nil
	}
	return "", fmt.Errorf("nobody is signed in at %s: run causeway login %s, or set %s", base, g.Server.Address, command.VariableToken)
}

// Reach is Connect for commands that a server can answer, too.
func Reach(g *command.Global) (*Hub, error) {
	if g.Server.Address == "" {
		return Connect(g)
	}
	if g.Kubeconfig != "" || g.Fleet != "" || g.Context != "" {
		return nil, command.Usagef("cannot ask both a server and a hub: leave out --server (CAUSEWAY_SERVER), or --kubeconfig, --context and --fleet")
	}
	token, err := token(g)
	if err != nil {
		return nil, err
	}
	c, err := Dial(g, token)
	if err != nil {
		return nil, err
	}
	h := &Hub{Server: c, Namespace: g.Namespace, From: "server " + c.Server(), Config: &rest.Config{Host: c.Server()}}
	if h.Namespace == "" {
		h.Namespace = local.DefaultNamespace
	}
	h.Client = &served{server: c, namespace: h.Namespace}
	return h, nil
}

// ReachWithout is Reach for commands that read mirrors of this machine, which
// a server does not.
func ReachWithout(g *command.Global, mirrors []string) (*Hub, error) {
	if g.Server.Address != "" && len(mirrors) > 0 {
		return nil, command.Usagef("--mirror is of this machine, and the server fetches by itself: leave it out, or name the hub with --kubeconfig and no --server")
	}
	return Reach(g)
}

// ErrServed is the answer of commands that need the hub itself.
func ErrServed(what string) error {
	return command.Usagef("%s is not asked of a server: name the hub with --kubeconfig, and no --server", what)
}

// explainServed says what an answer of the server means to a person.
func (h *Hub) explainServed(err error) error {
	var p *client.Problem
	if !errors.As(err, &p) {
		return err
	}
	switch p.Status {
	case 401:
		return fmt.Errorf("%s does not take the token: %w; run causeway login %s", h.Server.Server(), err, h.Server.Server())
	case 403:
		return fmt.Errorf("%s does not let you: %w", h.Server.Server(), err)
	}
	return fmt.Errorf("%s answers: %w", h.Server.Server(), err)
}

// KeyOf names an object for the API of a server.
func KeyOf(app interface {
	GetNamespace() string
	GetName() string
}) client.Key {
	return client.Key{Namespace: app.GetNamespace(), Name: app.GetName()}
}
