package render

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/klauspost/compress/s2"
	"github.com/zeebo/blake3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// seal computes the digest of the manifests and packs them.
func (e *entry) seal(l Limits) error {
	if n := len(e.manifests); n > l.Objects {
		return gitops.Problemf(gitops.Invalid, "cannot render the application: it has %d objects, more than the limit of %d", n, l.Objects).
			At(e.manifests[l.Objects].Origin).Do("split the application")
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	e.origins = make([]gitops.Origin, 0, len(e.manifests))
	for _, m := range e.manifests {
		if tooDeep(m.Object.Object, maxDepth) {
			return gitops.Problemf(gitops.Invalid, "cannot render object %s: it is nested more than %d levels deep", m.Key(), maxDepth).
				At(m.Origin).Do("look for a template that repeats itself")
		}
		if err := out.Encode(m.Object.Object); err != nil {
			return gitops.Problemf(gitops.Invalid, "cannot write object %s as JSON: %w", m.Key(), err).At(m.Origin)
		}
		e.origins = append(e.origins, m.Origin)
		if int64(text.Len()) > l.Output {
			return gitops.Problemf(gitops.Invalid, "cannot render the application: its objects have more than the limit of %d bytes as JSON", l.Output).
				At(m.Origin).Do("split the application, or keep large data out of manifests")
		}
	}
	e.digest = digestOf(text.Bytes())
	e.bytes, e.weight = int64(text.Len()), gitops.Weight(e.manifests)
	e.packed = bytes.Clone(s2.EncodeBetter(nil, text.Bytes()))
	return nil
}

// digestOf names the objects of a rendering, by their text.
func digestOf(text []byte) string {
	sum := blake3.Sum256(text)
	return hex.EncodeToString(sum[:20])
}

// maxDepth is how deep an object may be nested; the API server's schemas
// stay far below.
const maxDepth = 500

func tooDeep(value any, left int) bool {
	if left == 0 {
		return true
	}
	switch v := value.(type) {
	case map[string]any:
		for _, below := range v {
			if tooDeep(below, left-1) {
				return true
			}
		}
	case []any:
		for _, below := range v {
			if tooDeep(below, left-1) {
				return true
			}
		}
	}
	return false
}

// unpacked is the entry with its objects.
func (e *entry) unpacked() (*entry, error) {
	if !e.lacksObjects() {
		return e, nil
	}
	if n, err := s2.DecodedLen(e.packed); err != nil || int64(n) != e.bytes {
		return nil, errObject
	}
	text, err := s2.Decode(nil, e.packed)
	if err != nil {
		return nil, fmt.Errorf("cannot decompress manifests: %w", err)
	}
	if digestOf(text) != e.digest {
		return nil, errObject // others find by it what is kept of them
	}
	out := *e
	out.manifests = make([]gitops.Manifest, 0, len(e.origins))
	names, _ := shared.Get().(*keys)
	defer shared.Put(names)
	objects := objectReader{names: names, left: e.inUse()}
	for i, at := range e.origins {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return nil, fmt.Errorf("cannot decode manifests: %d of %d are there: %w", i, len(e.origins), errObject)
		}
		object, err := objects.read(line)
		if err != nil {
			return nil, fmt.Errorf("cannot decode manifest %d: %w", i, err)
		}
		out.manifests = append(out.manifests, gitops.Manifest{Object: &unstructured.Unstructured{Object: object}, Origin: at})
		text = rest
	}
	if len(text) > 0 {
		return nil, errObject
	}
	out.weight = gitops.Weight(out.manifests)
	return &out, nil
}

// cooled is the entry without its objects.
func (e *entry) cooled() *entry {
	out := *e
	out.manifests = nil
	return &out
}

func (e *entry) hotBytes() int64 {
	if e.manifests == nil {
		return 0
	}
	return e.weight
}

// inUse is the memory, in bytes, of work with the entry's objects: they themselves, and
// their text, which is written anew and packed for the history.
func (e *entry) inUse() int64 { return e.weight + 2*e.bytes } //nolint:mnd // text, and packed text

// lacksObjects reports whether there are objects, and not at hand.
func (e *entry) lacksObjects() bool { return e.err == nil && e.manifests == nil && len(e.origins) > 0 }

// perOrigin and the others are the sizes of what an entry lists, without texts
// that are its own.
const (
	perOrigin  = 96
	perWarning = 160
	perRemote  = 128
	perText    = 16
	perLog     = 96
)

// coldBytes is the memory of the rest of the entry.
func (e *entry) coldBytes() int64 {
	n := int64(perEntry+cap(e.packed)) + int64(len(e.origins))*perOrigin + e.facts.Bytes()
	for _, log := range e.logs {
		n += perText + log.Bytes()
	}
	for _, r := range e.remotes {
		n += perRemote + int64(len(r.ref.RepoURL)+len(r.ref.Chart)+len(r.ref.Revision)+len(r.revision))
		if r.log != nil {
			n += r.log.Bytes()
		}
	}
	for _, text := range e.hidden {
		n += perText + int64(len(text))
	}
	for _, w := range e.warnings {
		n += perWarning + int64(len(w.Message)+len(w.Origin.File))
	}
	if e.err != nil {
		n += causes * int64(len(e.err.Error()))
	}
	return n
}

// causes is how often about an error has its text: its causes have parts of it.
const causes = 3
