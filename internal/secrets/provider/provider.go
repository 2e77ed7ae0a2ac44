package provider

import (
	"context"
	"errors"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// ErrNotFound is that a store has no such entry, or the entry no such property.
// It is an answer, and no failure to get one.
var ErrNotFound = errors.New("Secret does not exist")

// Ref names an entry of a store.
type Ref struct {
	// Key is the entry's path or name.
	Key string
	// Version is one of the entry's; the latest when it is empty.
	Version string
	// Metadata asks for the entry's labels or tags in place of its value.
	Metadata bool
	// Property is what will be asked of the entry, for providers that are Narrow.
	Property string
}

// Narrow is a Reader whose entries depend on the property that is asked of them.
// Those of others are read once for all properties.
type Narrow interface{ ReadsProperties() }

// Entry is what a store keeps at one place: a text, or fields.
type Entry interface {
	// Value is the entry as it is, or what a property names in it; ErrNotFound when
	// there is none.
	Value(property string) ([]byte, error)
	// Fields are the entry's, or those of what a property names in it.
	Fields(property string) (map[string][]byte, error)
}

// Reader is a store that values come from. Its methods are called at the same
// time, and end with their context.
type Reader interface {
	// Read is one entry; ErrNotFound when there is none.
	Read(ctx context.Context, ref Ref) (Entry, error)
	// Find are the values of all entries that match, by the names that the store
	// has; none is no error.
	Find(ctx context.Context, find esv1.Find) (map[string][]byte, error)
}
