// Package secret has texts that show themselves to nobody by accident: not in logs, errors, or JSON.
//
// It does not find secrets in texts of others: see internal/redact.
package secret

import (
	"log/slog"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Text is a secret. Wherever it is printed there is a placeholder instead; nothing for an empty one.
type Text string

// String is a placeholder.
func (t Text) String() string { return Masked(string(t)) }

// GoString is a placeholder too, for %#v.
func (t Text) GoString() string { return `"` + t.String() + `"` }

// MarshalJSON writes the placeholder.
func (t Text) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// LogValue logs the placeholder.
func (t Text) LogValue() slog.Value { return slog.StringValue(t.String()) }

// Reveal returns the text itself.
func (t Text) Reveal() string { return string(t) }

// Masked is what is shown of a secret that is kept as it came: a placeholder; nothing for an empty one.
func Masked(text string) string {
	if text == "" {
		return ""
	}
	return gitops.Redacted
}
