package kustomize

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// Bounds of a build inside the engine. What it takes grows with what is read,
// and with the product of what kustomizations and patches say and the objects
// that they say it of. Everything that can grow faster is done elsewhere.
const (
	plainBytes   = 4 << 20
	plainObjects = 1000
	plainValues  = bounded.MostValues
	// plainProduct bounds the bytes said of all objects, plainMerges the pairs
	// of bytes that are merged: lists of a patch are compared with those of
	// objects, item by item.
	plainProduct = 16 << 20
	// plainMatching bounds what is held against regular expressions: each may be
	// held against all that is read.
	plainMatching = bounded.MostMatching
	plainMerges   = 1e10
)

// errOdd stops a build that is not plain: it is done anew, in a process of its own.
var errOdd = errors.New("the kustomization is not plain")

// admit stops a build inside the engine for a reason, if there is one.
func (d *disk) admit(odd string) error {
	if odd == "" || d.isApart {
		return nil
	}
	d.odd = odd
	return errOdd
}

// sum is what a build has read so far, each file as often as it was read.
type sum struct {
	bytes int
	// said are the bytes that may be said of each object.
	said int
	// objects is no fewer than there are.
	objects int
	// values are those of all that is parsed.
	values int
	// sizes are those of all expressions, which find objects and images.
	sizes int
}

func (s *sum) add(said, objects, read int) string {
	s.bytes, s.said, s.objects = s.bytes+read, s.said+said, s.objects+objects
	switch {
	case s.bytes > plainBytes, s.values > plainValues:
		return "it reads much"
	case s.objects > plainObjects:
		return "it has many objects"
	case s.sizes*s.bytes > plainMatching:
		return "it holds much against regular expressions"
	case s.said*s.objects > plainProduct, s.said*s.bytes > plainMerges:
		return "it says much of many objects"
	}
	return ""
}

// kustomization takes up a kustomization as the library sees it, and says why
// it is not plain.
func (s *sum) kustomization(k *types.Kustomization, text []byte) string {
	made := len(k.ConfigMapGenerator) + len(k.SecretGenerator)
	switch {
	case len(k.Replacements) > 0, len(k.Vars) > 0: //nolint:staticcheck // users write the deprecated field
		return "values are copied from one object to another"
	case len(k.OpenAPI) > 0:
		return "it brings its own schema"
	case len(k.Transformers)+len(k.Generators)+len(k.Validators)+len(k.Configurations)+len(k.Crds) > 0:
		return "it has plugins, or their configuration"
	case bounded.Repeats(text), encoded(text):
		return "parts of it are used again"
	case patched(k) && copies(text):
		return "a patch copies"
	}
	for _, e := range expressions(k) {
		size, err := expressionSize(e)
		if err != nil {
			return "it has a regular expression that is large or broken"
		}
		s.sizes += size
	}
	s.values += bounded.Values(text)
	return s.add(len(text), made+bytes.Count(text, []byte("kind"))+bytes.Count(text, []byte(`\`)), len(text))
}

// expressions are the texts that the library takes for regular expressions.
func expressions(k *types.Kustomization) []string {
	var out []string
	for _, i := range k.Images {
		out = append(out, i.Name)
	}
	for _, p := range slices.Concat(k.Patches, k.PatchesJson6902) { //nolint:staticcheck // users write the deprecated field
		if t := p.Target; t != nil {
			out = append(out, t.Group, t.Version, t.Kind, t.Name, t.Namespace)
		}
	}
	return out
}

// expressionSize is one for what matches character by character: that ends where
// a text differs.
func expressionSize(text string) (int, error) {
	if !strings.ContainsAny(text, `*+?{|([\^`) {
		return min(len(text), 1), nil
	}
	size, err := bounded.Size(text)
	if err == nil && size > bounded.MostSize/10 {
		err = errOdd
	}
	return size, err
}

func patched(k *types.Kustomization) bool {
	return len(k.Patches)+len(k.PatchesJson6902)+len(k.PatchesStrategicMerge) > 0 //nolint:staticcheck // users write the deprecated fields
}

// file takes up any other file. Of one that is opaque nothing is read but its
// bytes; one that is no list of objects may be a patch.
func (s *sum) file(text []byte, opaque, listed bool) string {
	if opaque {
		return s.add(0, 0, len(text))
	}
	s.values += bounded.Values(text)
	if bounded.Repeats(text) || encoded(text) {
		return "parts of a file are used again"
	}
	if listed {
		return s.add(0, bytes.Count(text, []byte("kind"))+bytes.Count(text, []byte(`\`)), len(text))
	}
	if copies(text) {
		return "a patch copies"
	}
	return s.add(len(text), 0, len(text))
}

// encoded reports whether a text is none of UTF-8, in which what is looked for
// would not be found.
func encoded(text []byte) bool { return bytes.IndexByte(text, 0) >= 0 }

// copies reports whether a patch may copy what is in an object to another
// place in it. Its words can be spelled in other ways only by signs that are
// looked for, too.
func copies(text []byte) bool {
	return bytes.Contains(text, []byte("copy")) || bytes.IndexByte(text, '\\') >= 0 || bytes.Contains(text, []byte("!"))
}
