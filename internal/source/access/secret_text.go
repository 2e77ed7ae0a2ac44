package access

import "log/slog"

const redacted = "[redacted]"

// Secret is a text that never shows itself in logs, errors or JSON.
type Secret string

// String is a placeholder.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString is a placeholder too, for %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalJSON writes the placeholder.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// LogValue logs the placeholder.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Reveal returns the text itself.
func (s Secret) Reveal() string { return string(s) }
