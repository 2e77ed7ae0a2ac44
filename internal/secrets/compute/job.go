package compute

import (
	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
)

// Job is all that an object is made of.
type Job struct {
	// From are sets of values, of which later ones count before earlier ones.
	From []Set `json:"from,omitempty"`
	// Values count before all sets.
	Values []Value `json:"values,omitempty"`
	// Template is what the object looks like; the values as they are when it is nil.
	Template *Template `json:"template,omitempty"`
	// Lenient has entries be passed over that have not what is asked of them.
	Lenient bool `json:"lenient,omitempty"`
	// Bare has the object be made of no values as well.
	Bare bool `json:"bare,omitempty"`
	// Object is what is there before: kind, name and metadata that no template makes.
	Object map[string]any `json:"object"`
}

// Set are values that came together.
type Set struct {
	// Place in the spec, for errors: dataFrom[0].
	Place string `json:"place"`
	// Data are the values, or Entry with its property has them.
	Data     map[string][]byte `json:"data,omitempty"`
	Entry    *entry.Entry      `json:"entry,omitempty"`
	Property string            `json:"property,omitempty"`
	// Found is that the names are those of entries, which are converted before they
	// are rewritten.
	Found bool `json:"found,omitempty"`
	// Remote is that the names are to be those of entries of a store, which a Secret need
	// not be able to have.
	Remote     bool                    `json:"remote,omitempty"`
	Rewrite    []esv1.Rewrite          `json:"rewrite,omitempty"`
	Conversion esv1.ConversionStrategy `json:"conversion,omitempty"`
	Decoding   esv1.DecodingStrategy   `json:"decoding,omitempty"`
}

// Value is one.
type Value struct {
	Place    string                `json:"place"`
	Key      string                `json:"key"`
	Entry    entry.Entry           `json:"entry"`
	Property string                `json:"property,omitempty"`
	Decoding esv1.DecodingStrategy `json:"decoding,omitempty"`
}

// Template are the templates of an object, in the order in which they count: of
// a key that two make, the later one's.
type Template struct {
	Requests []Request `json:"requests,omitempty"`
	// KeepValues has the object hold the values as well.
	KeepValues bool `json:"keepValues,omitempty"`
}

// Made is what came of a job.
type Made struct {
	// Object is nil where there is no value at all.
	Object map[string]any
	// Missing are the places of what entries did not have.
	Missing []string
}

// Request is a set of templates, and where it stands.
type Request struct {
	template.Request

	Place string `json:"place"`
}
