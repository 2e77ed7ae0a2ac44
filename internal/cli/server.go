package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/local"
)

// serverFlags say which server is asked instead of a hub.
type serverFlags struct {
	address    string
	tokenFile  string
	ca         string
	unverified bool
}

// variableToken has the token, where no file does.
const variableToken = "CAUSEWAY_TOKEN"

func (s *serverFlags) register(f *pflag.FlagSet) {
	f.StringVar(&s.address, "server", "", "ask the API of this server (https://…) instead of the hub; with the token of causeway login, of --token-file or of "+variableToken)
	f.StringVar(&s.tokenFile, "token-file", "", "file with the token for --server")
	f.StringVar(&s.ca, "server-ca", "", "file with certificates (PEM) that vouch for --server besides the system's")
	f.BoolVar(&s.unverified, "insecure-skip-verify", false, "believe --server whatever certificate it shows: whoever is on the way can read the token")
}

// dial makes the client of the server, with a token or without.
func (g *global) dial(token string) (*client.Client, error) {
	o := client.Options{Server: g.server.address, Token: token, Unverified: g.server.unverified, Agent: "causeway/" + g.version}
	if g.server.ca != "" {
		text, err := readNamed(g.server.ca, longestInput)
		if err != nil {
			return nil, fmt.Errorf("cannot read --server-ca: %w", err)
		}
		o.CA = text
	}
	return client.New(o)
}

// maxTokenFile bounds what is read of a file that is named as one with a token.
const maxTokenFile = 64 << 10

// token is what the server is sent: of a file, of the environment, or of an
// earlier login.
func (g *global) token() (string, error) {
	if g.server.tokenFile != "" {
		text, err := readNamed(g.server.tokenFile, maxTokenFile)
		if err != nil {
			return "", fmt.Errorf("cannot read --token-file: %w", err)
		}
		token := strings.TrimSpace(string(text))
		if token == "" || strings.ContainsAny(token, " \n\r\t") {
			return "", fmt.Errorf("%s is no file with a token alone", g.server.tokenFile)
		}
		return token, nil
	}
	if token := strings.TrimSpace(os.Getenv(variableToken)); token != "" {
		return token, nil
	}
	kept, err := readLogins()
	if err != nil {
		return "", err
	}
	base, err := client.Base(g.server.address)
	if err != nil {
		return "", usageError{err}
	}
	if token := kept.Servers[base.String()].Token; token != "" {
		return token, nil
	}
	return "", fmt.Errorf("nobody is signed in at %s: run causeway login %s, or set %s", base, g.server.address, variableToken)
}

// reach is connect for commands that a server can answer, too.
func (g *global) reach() (*hub, error) {
	if g.server.address == "" {
		return g.connect()
	}
	if g.kubeconfig != "" || g.fleet != "" || g.context != "" {
		return nil, usagef("cannot ask both a server and a hub: leave out --server (CAUSEWAY_SERVER), or --kubeconfig, --context and --fleet")
	}
	token, err := g.token()
	if err != nil {
		return nil, err
	}
	c, err := g.dial(token)
	if err != nil {
		return nil, err
	}
	h := &hub{server: c, namespace: g.namespace, from: "server " + c.Server(), config: &rest.Config{Host: c.Server()}}
	if h.namespace == "" {
		h.namespace = local.DefaultNamespace
	}
	h.client = &served{server: c, namespace: h.namespace}
	return h, nil
}

// reachWithout is reach for commands that read mirrors of this machine, which
// a server does not.
func (g *global) reachWithout(mirrors []string) (*hub, error) {
	if g.server.address != "" && len(mirrors) > 0 {
		return nil, usagef("--mirror is of this machine, and the server fetches by itself: leave it out, or name the hub with --kubeconfig and no --server")
	}
	return g.reach()
}

// errServed is the answer of commands that need the hub itself.
func errServed(what string) error {
	return usagef("%s is not asked of a server: name the hub with --kubeconfig, and no --server", what)
}

// explainServed says what an answer of the server means to a person.
func (h *hub) explainServed(err error) error {
	var p *client.Problem
	if !errors.As(err, &p) {
		return err
	}
	switch p.Status {
	case 401:
		return fmt.Errorf("%s does not take the token: %w; run causeway login %s", h.server.Server(), err, h.server.Server())
	case 403:
		return fmt.Errorf("%s does not let you: %w", h.server.Server(), err)
	}
	return fmt.Errorf("%s answers: %w", h.server.Server(), err)
}

func keyOf(app interface {
	GetNamespace() string
	GetName() string
}) client.Key {
	return client.Key{Namespace: app.GetNamespace(), Name: app.GetName()}
}
