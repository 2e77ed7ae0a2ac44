// Package kubeconfig reads what others write to reach a cluster, and makes of
// it what a cluster Secret says. Errors never repeat what a kubeconfig says of
// credentials.
package kubeconfig

import (
	"errors"
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of a kubeconfig.
const (
	maxSize    = 1 << 20 // bytes
	maxEntries = 256
)

type file struct {
	Current  string `json:"current-context"`
	Contexts []struct {
		Name    string `json:"name"`
		Context struct {
			Cluster string `json:"cluster"`
			User    string `json:"user"`
		} `json:"context"`
	} `json:"contexts"`
	Clusters []struct {
		Name    string  `json:"name"`
		Cluster cluster `json:"cluster"`
	} `json:"clusters"`
	Users []struct {
		Name string `json:"name"`
		User user   `json:"user"`
	} `json:"users"`
}

type cluster struct {
	Server             string `json:"server"`
	ServerName         string `json:"tls-server-name"`
	Insecure           bool   `json:"insecure-skip-tls-verify"`
	CAFile             string `json:"certificate-authority"`
	CAData             []byte `json:"certificate-authority-data"`
	Proxy              string `json:"proxy-url"`
	DisableCompression bool   `json:"disable-compression"`
}

type user struct {
	CertFile  string         `json:"client-certificate"`
	CertData  []byte         `json:"client-certificate-data"`
	KeyFile   string         `json:"client-key"`
	KeyData   []byte         `json:"client-key-data"`
	Token     string         `json:"token"`
	TokenFile string         `json:"tokenFile"`
	As        string         `json:"as"`
	Username  string         `json:"username"`
	Password  string         `json:"password"`
	Provider  map[string]any `json:"auth-provider"`
	Exec      *struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Env     []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"env"`
		APIVersion  string `json:"apiVersion"`
		InstallHint string `json:"installHint"`
	} `json:"exec"`
}

// Parse reads the current context: the server's address and how to log in.
func Parse(text []byte) (server string, conn fleet.Connection, err error) { return parse(text, "") }

// parse reads a context; the current one when it has no name.
func parse(text []byte, context string) (server string, conn fleet.Connection, err error) {
	if len(text) > maxSize {
		return "", conn, fmt.Errorf("it is longer than %d bytes", maxSize)
	}
	var f file
	if err := bounded.Unmarshal(text, &f); err != nil {
		return "", conn, errors.New("it is no kubeconfig")
	}
	if max(len(f.Contexts), len(f.Clusters), len(f.Users)) > maxEntries {
		return "", conn, fmt.Errorf("it has more than %d entries of a kind", maxEntries)
	}
	if context != "" {
		f.Current = context
	}
	c, u, err := f.current()
	if err != nil {
		return "", conn, err
	}
	if err := refuse(c, u); err != nil {
		return "", conn, err
	}
	return c.Server, connection(c, u), nil
}

// current finds what the current context names; without one, the only one.
func (f *file) current() (cluster, user, error) {
	name := f.Current
	if name == "" && len(f.Contexts) == 1 {
		name = f.Contexts[0].Name
	}
	if name == "" {
		return cluster{}, user{}, errors.New("it has no current-context")
	}
	for _, context := range f.Contexts {
		if context.Name != name {
			continue
		}
		for _, c := range f.Clusters {
			if c.Name != context.Context.Cluster {
				continue
			}
			for _, u := range f.Users {
				if u.Name == context.Context.User {
					return c.Cluster, u.User, nil
				}
			}
			return cluster{}, user{}, errors.New("it has no user of the name that its current-context has")
		}
		return cluster{}, user{}, errors.New("it has no cluster of the name that its current-context has")
	}
	return cluster{}, user{}, errors.New("it has no context of the name that is asked for, or of that in current-context")
}

// refuse what a Secret cannot say: files are another machine's.
func refuse(c cluster, u user) error {
	for _, f := range []struct{ field, value string }{
		{"certificate-authority", c.CAFile}, {"client-certificate", u.CertFile}, {"client-key", u.KeyFile}, {"tokenFile", u.TokenFile},
	} {
		if f.value != "" {
			return fmt.Errorf("it names a file with %s: write what is in the file", f.field)
		}
	}
	switch {
	case c.Server == "":
		return errors.New("its cluster has no server")
	case gitops.OneServer(c.Server) != nil:
		return fmt.Errorf("its cluster's server: %w", gitops.OneServer(c.Server))
	case u.As != "":
		return errors.New("it acts as another user (as)")
	case len(u.Provider) > 0:
		return errors.New("it has an auth-provider: use exec")
	case strings.HasPrefix(c.Proxy, "https://") && c.ServerName != "" && !c.Insecure: // as fleet.Connection, in the words of this file
		return errors.New("its proxy-url begins with https://, and tls-server-name would be asked of the proxy as well: write the name in server, which is asked of the cluster alone, or use a proxy by http:// or socks5://")
	}
	return nil
}

func connection(c cluster, u user) fleet.Connection {
	out := fleet.Connection{
		Username: u.Username, Password: u.Password, BearerToken: u.Token, DisableCompression: c.DisableCompression, ProxyURL: c.Proxy,
		TLS: fleet.TLS{Insecure: c.Insecure, ServerName: c.ServerName, CAData: c.CAData, CertData: u.CertData, KeyData: u.KeyData},
	}
	if u.Exec == nil {
		return out
	}
	out.Exec = &fleet.Plugin{Command: u.Exec.Command, Args: u.Exec.Args, APIVersion: u.Exec.APIVersion, InstallHint: u.Exec.InstallHint}
	for _, v := range u.Exec.Env {
		if out.Exec.Env == nil {
			out.Exec.Env = map[string]string{}
		}
		out.Exec.Env[v.Name] = v.Value
	}
	return out
}
