package wire

import (
	"errors"
	"reflect"
	"sync/atomic"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The memory of what hosts list, in bytes: for one listing, and for all that are
// under way. A host that answers within the bounds of each page could fill any
// engine with many pages.
const (
	mostOfListing = 128 << 20
	mostUnderWay  = 512 << 20
)

// underWay is what all listings of the process hold until they return.
var underWay atomic.Int64

// listing is one that is under way. It is safe for concurrent use.
type listing struct {
	subject string
	held    atomic.Int64
}

// take counts entries. They are there already, so they count also where they are
// too many, until the listing ends.
func (l *listing) take(entries any) error {
	w := bounded.Weigh(entries)
	weight := w.Texts + w.Parts
	held, all := l.held.Add(weight), underWay.Add(weight)
	if held > mostOfListing {
		return gitops.Problemf(gitops.Invalid, "cannot read %s: what it lists takes more than %d MiB", l.subject, mostOfListing>>20).Do("ask for less")
	}
	if all > mostUnderWay {
		return gitops.Problemf(gitops.NotReady, "cannot read %s now: listings of Git hosts that are under way take more than %d MiB; it is tried again", l.subject, mostUnderWay>>20)
	}
	return nil
}

// end gives back what the listing held.
func (l *listing) end() { underWay.Add(-l.held.Load()) }

var errNull = errors.New("the answer has a null for an entry")

// Convert makes the entries of a page into what is kept of them, so that a listing
// does not hold all that a host says of each. Those for which convert says false
// are left out; the first error ends it.
func Convert[T, R any](entries []T, convert func(T) (R, bool, error)) ([]R, error) {
	var out []R
	for _, one := range entries {
		if v := reflect.ValueOf(one); v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, errNull
		}
		r, keep, err := convert(one)
		if err != nil {
			return nil, err
		}
		if keep {
			out = append(out, r)
		}
	}
	return out, nil
}
