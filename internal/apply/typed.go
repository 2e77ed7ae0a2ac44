package apply

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Server-side apply refuses what an ordinary create accepts: fields that the
// schema does not have, and lists whose elements have equal keys. Manifests
// with both are common, so they are treated: unknown fields are left out, as
// the API server itself would, and an object with repeated keys is merged
// into the live one instead.

// treatment is how an object is made fit for the API server.
type treatment struct {
	without []string // sorted
	merge   bool
}

// maxTreatments bounds how often one object is tried, as the API server may
// name one unknown field at a time.
const maxTreatments = 20

// Bounds of the fields that are left out of one object, of whose names an API
// server says what it likes, and of what is remembered of a cluster's objects,
// in bytes. One with more unknown fields is refused as any other mistake is.
const (
	maxUnknown      = 1000
	maxUnknownBytes = 64 << 10
	treatmentsBytes = 2 << 20
	treatmentBytes  = 200 // of one, beside its fields
)

var (
	unknownField = regexp.MustCompile(`\s(\.[^\n]+?): field not declared in schema`)
	repeatedKey  = regexp.MustCompile(`\s(\.[^\n]+?): duplicate entries for key`)
	typedPrefix  = regexp.MustCompile(`failed to create typed patch object \([^)]*\): (errors:\s*)?`)
	typedValue   = regexp.MustCompile(`&value\.valueUnstructured\{Value:(.*?)\}`)
	typedPlace   = regexp.MustCompile(`(?m)(?:^|\s)(\.[^\n:]+): `)
)

// maxSaid bounds how much of an error is looked at, in bytes: the fields that may
// be left out fit into it.
const maxSaid = 256 << 10

func said(err error) string {
	text := err.Error()
	return text[:min(len(text), maxSaid)]
}

// isTyped reports whether server-side apply cannot read the object.
func isTyped(err error) bool {
	return strings.Contains(err.Error(), "failed to create typed patch object")
}

// after adds what an error asks for; ok is false when nothing helps.
func (t treatment) after(err error) (next treatment, ok bool) {
	text := said(err)
	if all := t.unknown(text); len(all) > len(t.without) {
		return treatment{without: all, merge: t.merge}, true
	}
	if !t.merge && repeatedKey.MatchString(text) {
		return treatment{without: t.without, merge: true}, true
	}
	return t, false
}

// unknown are the fields that are left out and those that an error names; nil
// when they are too many.
func (t treatment) unknown(text string) []string {
	all := slices.Clone(t.without)
	for _, m := range unknownField.FindAllStringSubmatch(text, maxUnknown+1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	all = slices.Compact(all)
	bytes := 0
	for i, path := range all {
		bytes += len(path)
		if i >= maxUnknown || bytes > maxUnknownBytes {
			return nil
		}
		all[i] = strings.Clone(path) // the error is larger
	}
	return all
}

// of returns the object as it is sent.
func (t treatment) of(o *unstructured.Unstructured) ([]byte, error) {
	if len(t.without) > 0 {
		o = o.DeepCopy()
		// A path that is not found has gone with another one: keys that are
		// absent stand for their defaults.
		strip(o.Object, t.without, 0)
	}
	return encode(o)
}

func encode(o *unstructured.Unstructured) ([]byte, error) {
	body, err := o.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("cannot encode the object: %w", err)
	}
	return body, nil
}

// maxTold bounds how many places are told of one object.
const maxTold = 10

// note tells a person what was done; empty for nothing.
func (t treatment) note() string {
	var parts []string
	if len(t.without) > 0 {
		parts = append(parts, "left out, as the API does not know it: "+firstOf(t.without))
	}
	if t.merge {
		parts = append(parts, "merged, as a list in it has elements with equal keys")
	}
	return strings.Join(parts, "; ")
}

// firstOf are the first of some paths, for people.
func firstOf(paths []string) string {
	return clip(strings.Join(paths[:min(len(paths), maxTold)], ", ")) + gitops.AndMore(len(paths)-maxTold)
}

// treatments remembers what the objects of a cluster need, by digest, so that
// they take one request the next time.
type treatments struct {
	known *cache.LRU[string, treatment]
}

func newTreatments() treatments { return treatments{cache.New[string, treatment](treatmentsBytes)} }

func (t treatments) get(digest string) treatment {
	known, _ := t.known.Get(digest)
	return known
}

func (t treatments) put(digest string, what treatment) {
	bytes := treatmentBytes + len(digest)
	for _, path := range what.without {
		bytes += treatmentBytes/10 + len(path)
	}
	t.known.Put(digest, what, int64(bytes))
}

// typedText is what a typed error says, for people.
func typedText(err error) string {
	text := typedPrefix.ReplaceAllString(said(err), "")
	return strings.Join(strings.Fields(typedValue.ReplaceAllString(text, "$1")), " ")
}

// typedPlaces are the paths that a typed error names, without values.
func typedPlaces(err error) string {
	var paths []string
	for _, m := range typedPlace.FindAllStringSubmatch(" "+typedPrefix.ReplaceAllString(said(err), ""), maxTold) {
		paths = append(paths, m[1])
	}
	return strings.Join(paths, ", ") + ": not what the API expects there"
}
