package client

import (
	"fmt"
	"log/slog"

	"github.com/causeway-gitops/causeway/internal/gitops/secret"
)

// shownOptions are Options without their methods, for those to print.
type shownOptions Options

func (o Options) masked() shownOptions {
	o.Token = secret.Masked(o.Token)
	return shownOptions(o)
}

// String tells no token.
func (o Options) String() string { return fmt.Sprintf("%+v", o.masked()) }

// GoString tells as much.
func (o Options) GoString() string { return fmt.Sprintf("%#v", o.masked()) }

// LogValue tells as much.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// String names the server: its options have a token.
func (c *Client) String() string { return "client of " + c.base.String() }

// GoString tells as much.
func (c *Client) GoString() string { return c.String() }

// LogValue tells as much.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }
