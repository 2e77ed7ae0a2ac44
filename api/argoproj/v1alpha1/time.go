package v1alpha1

import (
	"encoding/json"
	"time"
)

// Time is a moment as an API server takes it, which is more than Go reads, and writes:
// such a one is the beginning of 1970. Objects come in lists, and a list with one that
// cannot be read is none.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:Format=date-time
type Time struct{ time.Time }

// lastYear is the last one that JSON has.
const lastYear = 9999

// NewTime wraps a time.
func NewTime(t time.Time) Time { return Time{t} }

// UnmarshalJSON implements json.Unmarshaler, and never fails for a text.
func (t *Time) UnmarshalJSON(b []byte) error {
	*t = Time{}
	var text *string
	if err := json.Unmarshal(b, &text); err != nil || text == nil {
		return err
	}
	read, err := time.Parse(time.RFC3339, *text)
	if year := read.UTC().Year(); err != nil || year < 1 || year > lastYear {
		read = time.Unix(0, 0)
	}
	t.Time = read.Local() //nolint:gosmopolitan // as the types of Kubernetes
	return nil
}

// MarshalJSON implements json.Marshaler, to the second. No time is null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.UTC().Format(time.RFC3339) + `"`), nil
}

// ToUnstructured is what the object has for it that is no Go type.
func (t Time) ToUnstructured() any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// IsZero reports whether there is no time.
func (t *Time) IsZero() bool { return t == nil || t.Time.IsZero() }

// Before reports whether the time is before another; no time is before each.
func (t *Time) Before(u *Time) bool {
	if t != nil && u != nil {
		return t.Time.Before(u.Time)
	}
	return false
}

// Equal reports whether both are one moment, or both none.
func (t *Time) Equal(u *Time) bool {
	if t == nil || u == nil {
		return t == u
	}
	return t.Time.Equal(u.Time)
}

// DeepCopyInto copies the time.
func (t *Time) DeepCopyInto(out *Time) { *out = *t }

// DeepCopy copies the time.
func (t *Time) DeepCopy() *Time {
	if t == nil {
		return nil
	}
	out := *t
	return &out
}

// OpenAPISchemaType is that of a time.
func (Time) OpenAPISchemaType() []string { return []string{"string"} }

// OpenAPISchemaFormat is that of a time.
func (Time) OpenAPISchemaFormat() string { return "date-time" }
