package provider

import (
	"context"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
)

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

// Refused is an error of a server that does not take the credentials of a store, as
// those were when it was opened.
type Refused struct{ Err error }

// Error implements error.
func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap is what was refused.
func (r *Refused) Unwrap() error { return r.Err }

// Reader is a store that values come from. Its methods are called at the same
// time, and end with their context.
type Reader interface {
	// Read is one entry; entry.ErrNotFound when there is none.
	Read(ctx context.Context, ref Ref) (entry.Entry, error)
	// Find are the values of all entries that match, by the names that the store
	// has; none is no error.
	Find(ctx context.Context, find esv1.Find) (map[string][]byte, error)
}
