package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Target is an entry that is written, or a field of one.
type Target struct {
	Key string
	// Property is a field of the entry; all of it when empty.
	Property string
}

// String is how people name it.
func (t Target) String() string {
	if t.Property == "" {
		return t.Key
	}
	return t.Key + " (property " + t.Property + ")"
}

// Push is what is written.
type Push struct {
	Target

	// Value of the entry, or of its field.
	Value []byte
	// Fields are those of a whole Secret, which Value has as a JSON object of texts; nil of
	// one value.
	Fields map[string][]byte
	// Metadata is what the PushSecret says to the provider, in JSON; nil when it says
	// nothing.
	Metadata json.RawMessage
	// Source is what the Secret is beside its values.
	Source Source
}

// Source is what a Secret is beside its values.
type Source struct {
	Type                string
	Labels, Annotations map[string]string
}

// Writer is a store that values can be written to. What an entry has already is not
// written again.
type Writer interface {
	// Put writes an entry, or a field beside those that it has. One that somebody else
	// made is ErrNotManaged, where the provider can tell.
	Put(ctx context.Context, push Push) error
	// Delete takes out what was written: a field, and the entry with its last field. What
	// is not there, or somebody else's, is left and no error.
	Delete(ctx context.Context, target Target) error
	// Exists reports whether there is such an entry, with that field.
	Exists(ctx context.Context, target Target) (bool, error)
}

// ErrNotManaged is of an entry that no PushSecret made.
var ErrNotManaged = errors.New("secret not managed by external-secrets")

// Mark of entries that PushSecrets made, with which External Secrets' operator knows
// them as well.
const (
	ManagedBy = "managed-by"
	Manager   = "external-secrets"
)

// MetadataKind is the kind of metadata that have a version: what they say is in spec.
const MetadataKind = "PushSecretMetadata"

// ReadMetadata reads what a PushSecret says to a provider. Fields that the provider does
// not know are an error, which names them: nothing would come of them.
func ReadMetadata(text json.RawMessage, into any) error {
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	var whole struct {
		Kind string          `json:"kind"`
		Spec json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return errors.New("metadata: it is no JSON object")
	}
	if whole.Kind == MetadataKind {
		text = whole.Spec
	}
	if len(text) == 0 {
		return nil
	}
	if err := strictly(text, into); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	return nil
}
