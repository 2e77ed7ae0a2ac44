package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
)

// errObject says that a line is not what seal wrote.
var errObject = errors.New("the text is no object as it was kept")

// errHeavy is of values for which there is no room: a worker has said that they take less.
var errHeavy = errors.New("the values take more memory than they may")

// objectReader reads what was written as JSON without white space, as the API machinery
// reads it: numbers without point and exponent that fit are int64, others float64. It is
// no JSON reader for what others wrote.
type objectReader struct {
	text  []byte // what is left
	names *keys
	// left is what values may still take, in bytes: no more than gitops.Weight counts.
	left int64
}

// What values take at least, see gitops.Weight.
const (
	weighsMap    = 48
	weighsFew    = 288 // the first entries of a map
	few          = 8
	weighsEntry  = 37 // each of the others
	weighsList   = 24
	weighsItem   = 16
	weighsString = 16
	weighsNumber = 8
)

func (r *objectReader) take(n int) error {
	if r.left -= int64(n); r.left < 0 {
		return errHeavy
	}
	return nil
}

// read reads an object.
func (r *objectReader) read(line []byte) (map[string]any, error) {
	r.text = line
	value, err := r.value(0)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok || len(r.text) > 0 {
		return nil, errObject
	}
	return object, nil
}

// keys are names of fields that were met, which objects share: most have the
// same few. Each has one place, which the latest takes.
type keys [1024]string

// maxShared bounds the length of a name that is shared, in bytes.
const maxShared = 64

// shared are the keys of all renderings, one set for each reader at a time.
var shared = sync.Pool{New: func() any { return new(keys) }}

func (k *keys) name(text []byte) string {
	if len(text) > maxShared {
		return string(text)
	}
	hash := uint32(2166136261) // FNV-1a
	for _, c := range text {
		hash = (hash ^ uint32(c)) * 16777619
	}
	at := &k[(hash^hash>>16)%uint32(len(k))]
	if *at != string(text) {
		*at = string(text)
	}
	return *at
}

// next takes a byte if it is the next one.
func (r *objectReader) next(c byte) bool {
	if len(r.text) == 0 || r.text[0] != c {
		return false
	}
	r.text = r.text[1:]
	return true
}

func (r *objectReader) value(depth int) (any, error) {
	if len(r.text) == 0 || depth > maxDepth {
		return nil, errObject
	}
	switch r.text[0] {
	case '{':
		return r.object(depth)
	case '[':
		return r.list(depth)
	case '"':
		return r.string()
	case 't':
		return true, r.word("true")
	case 'f':
		return false, r.word("false")
	case 'n':
		return nil, r.word("null")
	}
	return r.number()
}

func (r *objectReader) word(w string) error {
	rest, ok := bytes.CutPrefix(r.text, []byte(w))
	if !ok {
		return errObject
	}
	r.text = rest
	return nil
}

func (r *objectReader) object(depth int) (map[string]any, error) {
	out := map[string]any{}
	r.next('{')
	if r.next('}') {
		return out, r.take(weighsMap)
	}
	for n := 0; ; n++ {
		if len(r.text) == 0 || r.text[0] != '"' {
			return nil, errObject
		}
		key, err := r.key()
		if err != nil || !r.next(':') {
			return nil, errObject
		}
		if err := r.take(entryWeighs(n) + len(key)); err != nil {
			return nil, err
		}
		if out[key], err = r.value(depth + 1); err != nil {
			return nil, err
		}
		if r.next('}') {
			return out, nil
		}
		if !r.next(',') {
			return nil, errObject
		}
	}
}

// entryWeighs is what the entry of a map takes that comes after so many others.
func entryWeighs(n int) int {
	switch {
	case n == 0:
		return weighsMap + weighsFew
	case n < few:
		return 0
	}
	return weighsEntry
}

func (r *objectReader) list(depth int) ([]any, error) {
	out := []any{}
	r.next('[')
	if err := r.take(weighsList); err != nil || r.next(']') {
		return out, err
	}
	for {
		if err := r.take(weighsItem); err != nil {
			return nil, err
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
		if r.next(']') {
			return out, nil
		}
		if !r.next(',') {
			return nil, errObject
		}
	}
}

// key is a text that objects share.
func (r *objectReader) key() (string, error) {
	body := r.text[1:]
	end := bytes.IndexByte(body, '"')
	if end < 0 || bytes.IndexByte(body[:end], '\\') >= 0 {
		return r.string()
	}
	r.text = body[end+1:]
	return r.names.name(body[:end]), nil
}

// string reads a text; the library reads those with escapes.
func (r *objectReader) string() (string, error) {
	body := r.text[1:]
	end := bytes.IndexByte(body, '"')
	if end < 0 {
		return "", errObject
	}
	if plain := body[:end]; bytes.IndexByte(plain, '\\') < 0 {
		r.text = body[end+1:]
		return string(plain), r.take(weighsString + len(plain))
	}
	for end = 0; end < len(body) && body[end] != '"'; end++ {
		if body[end] == '\\' {
			end++
		}
	}
	if end >= len(body) {
		return "", errObject
	}
	var out string
	if err := json.Unmarshal(r.text[:end+2], &out); err != nil {
		return "", errObject
	}
	r.text = body[end+1:]
	return out, r.take(weighsString + len(out))
}

func (r *objectReader) number() (any, error) {
	if err := r.take(weighsNumber); err != nil {
		return nil, err
	}
	n := 0
	for n < len(r.text) && strings.IndexByte("+-.0123456789eE", r.text[n]) >= 0 {
		n++
	}
	text := string(r.text[:n])
	r.text = r.text[n:]
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, errObject
	}
	return f, nil
}
