package fleet

import (
	"fmt"
	"log/slog"
	"net/url"

	"github.com/causeway-gitops/causeway/internal/gitops/secret"
)

// These are Connection, TLS and Plugin without their methods, for those to print. JSON
// is as it is: a Secret has it, and what is kept of a connection is told apart by it.
type (
	shownConnection Connection
	shownTLS        TLS
	shownPlugin     Plugin
)

func (c Connection) masked() shownConnection {
	c.Password, c.BearerToken = secret.Masked(c.Password), secret.Masked(c.BearerToken)
	if u, err := url.Parse(c.ProxyURL); err != nil || u.Host == "" || u.User != nil { // without a host, a password may be its path
		c.ProxyURL = secret.Masked(c.ProxyURL)
	}
	return shownConnection(c)
}

// String tells nothing that signs in.
func (c Connection) String() string { return fmt.Sprintf("%+v", c.masked()) }

// GoString tells as much.
func (c Connection) GoString() string { return fmt.Sprintf("%#v", c.masked()) }

// LogValue tells as much.
func (c Connection) LogValue() slog.Value { return slog.StringValue(c.String()) }

func (t TLS) masked() shownTLS {
	t.KeyData = []byte(secret.Masked(string(t.KeyData)))
	return shownTLS(t)
}

// String tells no key.
func (t TLS) String() string { return fmt.Sprintf("%+v", t.masked()) }

// GoString tells as much.
func (t TLS) GoString() string { return fmt.Sprintf("%#v", t.masked()) }

// LogValue tells as much.
func (t TLS) LogValue() slog.Value { return slog.StringValue(t.String()) }

func (p Plugin) masked() shownPlugin {
	args, env := p.Args, p.Env
	p.Args, p.Env = make([]string, len(args)), make(map[string]string, len(env))
	for i, arg := range args {
		p.Args[i] = secret.Masked(arg)
	}
	for name, value := range env {
		p.Env[name] = secret.Masked(value)
	}
	return shownPlugin(p)
}

// String tells no arguments and no values of variables: a secret may be in each.
func (p Plugin) String() string { return fmt.Sprintf("%+v", p.masked()) }

// GoString tells as much.
func (p Plugin) GoString() string { return fmt.Sprintf("%#v", p.masked()) }

// LogValue tells as much.
func (p Plugin) LogValue() slog.Value { return slog.StringValue(p.String()) }
