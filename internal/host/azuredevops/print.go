package azuredevops

import (
	"fmt"
	"log/slog"

	"github.com/causeway-gitops/causeway/internal/gitops/secret"
)

// String tells no token.
func (a Access) String() string {
	return fmt.Sprintf("{Organization:%s API:%s Token:%s}", a.Organization, a.API, secret.Masked(a.Token))
}

// GoString tells as much.
func (a Access) GoString() string { return "azuredevops.Access" + a.String() }

// LogValue tells as much.
func (a Access) LogValue() slog.Value { return slog.StringValue(a.String()) }

// String names what a client reads: its options have a token.
func (c connection) String() string { return c.subject }

// GoString tells as much.
func (c connection) GoString() string { return c.subject }

// LogValue tells as much.
func (c connection) LogValue() slog.Value { return slog.StringValue(c.subject) }
