package credential

import (
	"context"
	"crypto/tls"
	"log/slog"
	"time"
)

// Credential is what an API server takes: a token, a client certificate, or both.
type Credential struct {
	Token       string
	Certificate *tls.Certificate
	// Expires is zero where nobody says.
	Expires time.Time
}

const redacted = "[redacted]"

// String tells nothing.
func (Credential) String() string { return redacted }

// GoString tells nothing.
func (Credential) GoString() string { return redacted }

// LogValue tells nothing.
func (Credential) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON tells nothing.
func (Credential) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// Source gets a credential. Each call gets a new one. Its errors hold neither
// the credential nor what it was got with.
type Source interface {
	Get(ctx context.Context) (Credential, error)
}
