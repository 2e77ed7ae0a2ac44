package kustomize

import (
	"bytes"
	"errors"
	"slices"

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
	plainMerges  = 1e10
	// plainMatching bounds what is held against regular expressions: each may be
	// held against all that is read.
	plainMatching = bounded.MostMatching
	// plainNames bounds the characters of the names of images, once for each
	// image: they are compiled for each anew, in about half a microsecond a
	// character. nameCost are the characters that are added to each name.
	plainNames = 4 << 20
	nameCost   = 48
	// plainTurns bounds the bytes that patches have objects written and read
	// for: a JSON patch does that for each of its objects, in up to a microsecond
	// a byte.
	plainTurns = 64 << 20
	// plainKeys are those of one mapping, plainPairs the pairs of keys that are
	// compared, in some nanoseconds each: a mapping is read, and merged, by the
	// square of its keys.
	plainKeys = 5000
	// plainDepth is that of lists and mappings in one another: the library writes each
	// with a line of its own, and with as many blanks twice.
	plainDepth = 200
	plainPath  = 50 // parts of a field that is made
	plainPairs = 2e9
)

// errOdd stops a build that is not plain: it is done anew, in a process of its own.
var errOdd = errors.New("the kustomization is not plain")

// admit stops a build inside the engine for a reason, if there is one.
func (d *disk) admit(odd func() string) error {
	if d.isApart {
		return nil
	}
	if d.odd == "" { // the library goes on after some errors
		d.odd = odd()
	}
	if d.odd != "" {
		return errOdd
	}
	return nil
}

// use is what a file is to the kustomizations that name it: all that they say.
type use uint8

const (
	// asObjects: it is a resource.
	asObjects use = 1 << iota
	// asText: it is the value of a ConfigMap or Secret, and nothing of it is read.
	asText
	// asVariables: its lines are such values.
	asVariables
	// asPatch: it is a patch, or anything else, that may be for all objects.
	asPatch
	// asPatchOfOne: it is a patch whose parts name their objects.
	asPatchOfOne
)

// sum is what a build has read so far, each file as often as it was read.
type sum struct {
	bytes int
	// said are the bytes that may be said of objects, spread those that may be
	// said of each one.
	said, spread int
	// objects is no fewer than there are.
	objects int
	// values are those of all that is parsed.
	values int
	// sizes are those of all expressions, which find objects and images.
	sizes int
	// names are the characters of images' names, with nameCost for each; images
	// are no fewer than objects have, spreadImages than may be added to each.
	names, images, spreadImages int
	// patches are no fewer than there are, turns those that are for all objects.
	patches, turns int
	// deepest is the longest path of a field that labels may make, in its parts.
	deepest int
	keys    keys
}

// odd is why what was read is not plain.
func (s *sum) odd() string {
	switch {
	case s.bytes > plainBytes, s.values > plainValues:
		return "it reads much"
	case s.objects > plainObjects:
		return "it has many objects"
	case s.said*s.objects > plainProduct, s.said*s.bytes > plainMerges, s.turns*s.held() > plainTurns:
		return "it says much of many objects"
	case s.sizes*s.held() > plainMatching:
		return "it holds much against regular expressions"
	case s.names*(s.images+s.spreadImages*s.objects) > plainNames:
		return "it changes many images by many names"
	case s.deepest > plainPath:
		return "it sets deep fields"
	case s.keys.widest() > plainKeys, s.keys.pairs(s.objects, s.patches) > plainPairs:
		return manyKeys
	}
	return ""
}

// held are the bytes of all objects in the end.
func (s *sum) held() int { return s.bytes + s.spread*s.objects }

// file takes up any other file, and says why it is not plain.
func (s *sum) file(text []byte, as use) string {
	s.bytes += len(text)
	if as&asVariables != 0 {
		s.keys.made += bytes.Count(text, []byte("\n")) + 1
	}
	read := as &^ (asText | asVariables)
	if read == 0 && as != 0 {
		return s.odd()
	}
	s.values += bounded.Values(text)
	if indents(text) {
		return indentsMuch
	}
	if bounded.Repeats(text) || encoded(text) {
		return "parts of a file are used again"
	}
	if odd := s.odd(); odd != "" {
		return odd // before it is parsed
	}
	if read&asObjects != 0 {
		s.objects, s.images = s.objects+objectsIn(text), s.images+imagesIn(text)
		if odd := s.mappings(text); odd != "" {
			return odd
		}
	}
	if read == asObjects {
		return s.odd()
	}
	if copies(text) {
		return "a patch copies"
	}
	s.said += len(text)
	return s.patch(text, read&asPatch == 0 && as != 0)
}

// patch takes up the text of one: of those for one object each, or of one for all.
func (s *sum) patch(text []byte, ofOne bool) string {
	if tellsOrigins(text) {
		return tellingOrigins
	}
	if indents(text) {
		return indentsMuch
	}
	n := breaks(text)
	if ofOne {
		s.keys.own, s.images = s.keys.own+n, s.images+imagesIn(text)
		s.patches += bytes.Count(text, []byte("kind"))
	} else {
		s.keys.all, s.spreadImages = s.keys.all+n, s.spreadImages+imagesIn(text)
		s.spread += len(text)
	}
	if odd := s.odd(); odd != "" {
		return odd
	}
	var written sum // what it writes is counted above
	return written.mappings(text)
}

// objectsIn is no fewer than there are in a text: their words can be spelled in
// other ways only by escapes.
func objectsIn(text []byte) int { return wordsIn(text, "kind") }

func imagesIn(text []byte) int { return wordsIn(text, "image") }

func wordsIn(text []byte, word string) int {
	return bytes.Count(text, []byte(word)) + bytes.Count(text, []byte(`\`))
}

// encoded reports whether a text is none of UTF-8, in which what is looked for
// would not be found.
func encoded(text []byte) bool { return bytes.IndexByte(text, 0) >= 0 }

const indentsMuch = "a file is deep, or has unusual line ends"

// indents reports whether what a text becomes may be little but blanks where the library
// writes it.
func indents(text []byte) bool { return bounded.MayBeDeeper(text, plainDepth) || otherLines(text) }

// lineEnds are the unusual ones of YAML, and escapes how they are written in quotes.
var (
	lineEnds = [][]byte{[]byte("\u0085"), []byte("\u2028"), []byte("\u2029")}
	escapes  = [][]byte{[]byte("N"), []byte("L"), []byte("P"), []byte("x85"), []byte("u0085"), []byte("u2028"), []byte("u2029"), []byte("U00000085"), []byte("U00002028"), []byte("U00002029")}
)

// otherLines reports whether a text may have such an end, after which YAML is indented
// anew.
func otherLines(text []byte) bool {
	if slices.ContainsFunc(lineEnds, func(end []byte) bool { return bytes.Contains(text, end) }) {
		return true
	}
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return false
		}
		if slices.ContainsFunc(escapes, func(e []byte) bool { return bytes.HasPrefix(text[i+1:], e) }) {
			return true
		}
		text = text[i+2:]
	}
}

// copies reports whether a patch may copy what is in an object to another
// place in it. Its words can be spelled in other ways only by signs that are
// looked for, too.
func copies(text []byte) bool {
	return bytes.Contains(text, []byte("copy")) || bytes.IndexByte(text, '\\') >= 0 || bytes.Contains(text, []byte("!"))
}
