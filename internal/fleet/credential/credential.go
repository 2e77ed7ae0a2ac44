package credential

import (
	"context"
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Credential is what an API server takes: a token, a client certificate, or both.
type Credential struct {
	Token       string
	Certificate *tls.Certificate
	// Expires is zero where nobody says.
	Expires time.Time
}

// String tells nothing.
func (Credential) String() string { return gitops.Redacted }

// GoString tells nothing.
func (Credential) GoString() string { return gitops.Redacted }

// LogValue tells nothing.
func (Credential) LogValue() slog.Value { return slog.StringValue(gitops.Redacted) }

// MarshalJSON tells nothing.
func (Credential) MarshalJSON() ([]byte, error) { return []byte(`"` + gitops.Redacted + `"`), nil }

// Source gets a credential. Each call gets a new one. Its errors hold neither
// the credential nor what it was got with.
type Source interface {
	Get(ctx context.Context) (Credential, error)
}
