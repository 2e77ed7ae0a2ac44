package apply

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Server-side apply refuses what an ordinary create accepts: fields that the
// schema does not have, and lists whose elements have equal keys. Manifests
// with both are common, so they are treated: unknown fields are left out, as
// the API server itself would, and an object with repeated keys is merged
// into the live one instead.

// treatment is how an object is made fit for the API server.
type treatment struct {
	without []string
	merge   bool
}

// maxTreatments bounds how often one object is tried, as the API server may
// name one unknown field at a time.
const maxTreatments = 20

var (
	unknownField = regexp.MustCompile(`\s(\.[^\n]+?): field not declared in schema`)
	repeatedKey  = regexp.MustCompile(`\s(\.[^\n]+?): duplicate entries for key`)
	typedPrefix  = regexp.MustCompile(`failed to create typed patch object \([^)]*\): (errors:\s*)?`)
	typedValue   = regexp.MustCompile(`&value\.valueUnstructured\{Value:(.*?)\}`)
	typedPlace   = regexp.MustCompile(`(?m)(?:^|\s)(\.[^\n:]+): `)
)

// isTyped tells that server-side apply cannot read the object.
func isTyped(err error) bool {
	return strings.Contains(err.Error(), "failed to create typed patch object")
}

// after adds what an error asks for; ok is false when nothing helps.
func (t treatment) after(err error) (next treatment, ok bool) {
	next = treatment{without: slices.Clone(t.without), merge: t.merge}
	for _, m := range unknownField.FindAllStringSubmatch(err.Error(), -1) {
		if !slices.Contains(next.without, m[1]) {
			next.without, ok = append(next.without, m[1]), true
		}
	}
	if !ok && !t.merge && repeatedKey.MatchString(err.Error()) {
		next.merge, ok = true, true
	}
	return next, ok
}

// of returns the object as it is sent.
func (t treatment) of(o *unstructured.Unstructured) ([]byte, error) {
	if len(t.without) > 0 {
		o = o.DeepCopy()
		for _, path := range t.without {
			// A path that is not found has gone with one before it: keys
			// that are absent stand for their defaults.
			strip(o.Object, path)
		}
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

// note tells a person what was done; empty for nothing.
func (t treatment) note() string {
	var parts []string
	if len(t.without) > 0 {
		parts = append(parts, "left out, as the API does not know it: "+strings.Join(t.without, ", "))
	}
	if t.merge {
		parts = append(parts, "merged, as a list in it has elements with equal keys")
	}
	return strings.Join(parts, "; ")
}

// treatments remembers what the objects of a cluster need, by digest, so that
// they take one request the next time.
type treatments struct {
	mu    sync.Mutex
	known map[string]treatment
}

// maxKnown bounds the memory; few objects need any treatment.
const maxKnown = 1000

func (t *treatments) get(digest string) treatment {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known[digest]
}

func (t *treatments) put(digest string, what treatment) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= maxKnown {
		t.known = map[string]treatment{}
	}
	t.known[digest] = what
}

// strip removes the field that a path names. Paths are written as field paths
// are printed: .spec.containers[name="web"].bogus. Names with dots in them are
// found by looking at what is there.
func strip(v any, path string) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			rest, ok := strings.CutPrefix(path, "."+key)
			switch {
			case !ok:
			case rest == "":
				delete(v, key)
				return true
			case strip(child, rest):
				return true
			}
		}
	case []any:
		keys, rest, ok := cutKeys(path)
		if !ok || rest == "" {
			return false
		}
		found := false
		for _, item := range v {
			if m, isMap := item.(map[string]any); isMap && hasKeys(m, keys) {
				found = strip(m, rest) || found
			}
		}
		return found
	}
	return false
}

var keyPart = regexp.MustCompile(`^([A-Za-z0-9_]+)=("(?:[^"\\]|\\.)*"|[^,\]]*),?`)

// cutKeys takes [a="x",b=1] off the front of a path.
func cutKeys(path string) (keys map[string]string, rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "[")
	if !ok {
		return nil, "", false
	}
	keys = map[string]string{}
	for {
		if after, end := strings.CutPrefix(rest, "]"); end {
			return keys, after, true
		}
		m := keyPart.FindStringSubmatch(rest)
		if m == nil {
			return nil, "", false
		}
		keys[m[1]] = strings.Trim(m[2], `"`)
		rest = rest[len(m[0]):]
	}
}

// hasKeys lets a key that is absent pass: it is a default then.
func hasKeys(m map[string]any, keys map[string]string) bool {
	for key, want := range keys {
		if got, ok := m[key]; ok && fmt.Sprint(got) != want {
			return false
		}
	}
	return true
}

// typedText is what a typed error says, for people.
func typedText(err error) string {
	text := typedPrefix.ReplaceAllString(err.Error(), "")
	return strings.Join(strings.Fields(typedValue.ReplaceAllString(text, "$1")), " ")
}

// typedPlaces are the paths that a typed error names, without values.
func typedPlaces(err error) string {
	var paths []string
	for _, m := range typedPlace.FindAllStringSubmatch(" "+typedPrefix.ReplaceAllString(err.Error(), ""), -1) {
		paths = append(paths, m[1])
	}
	return strings.Join(paths, ", ") + ": not what the API expects there"
}
