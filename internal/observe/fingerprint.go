package observe

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/zeebo/blake3"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// fingerprint hashes the set of fields that our field manager applied, and
// their values; it is empty when we own nothing. Fields of other managers
// and the status do not count, so that equal fingerprints mean: nobody
// touched what we wrote.
//
// managedFields arrive decoded, as a tree of the same shape as the object:
// both are walked side by side, without building a field set first.
func fingerprint(object map[string]any, managers []any) string {
	h, ok := hashers.Get().(*hasher)
	if !ok {
		h = &hasher{}
	}
	h.left = maxLooks
	defer h.release()
	for _, item := range managers {
		m := containerOf(item)
		if m.text("manager") != gitops.FieldManager || m.text("operation") != "Apply" || m.text("subresource") != "" {
			continue
		}
		h.text(m.text("apiVersion"))
		h.owned(m.fields("fieldsV1"), object, maxDepth)
	}
	if len(h.buf) == 0 {
		return ""
	}
	if h.spent() {
		// What was left out may be what changes.
		o := reader{o: object}
		h.text(o.text("metadata", "resourceVersion"))
	}
	sum := blake3.Sum256(h.buf)
	return hex.EncodeToString(sum[:16])
}

// maxDepth bounds recursion; the API server allows less.
const maxDepth = 200

// hasher writes a canonical form of what is hashed into a buffer that it
// keeps for the next object.
type hasher struct {
	buf []byte
	// keys is a stack: each level of the walk sorts its own keys on top.
	keys []string
	// left is how many items of lists may still be looked at.
	left int
}

var hashers sync.Pool

// Bounds of what waits for the next object: bytes of the buffer, and keys.
const (
	maxKept     = 1 << 20
	maxKeptKeys = 1 << 12
)

// Bounds of what is done for one object: bytes that are hashed, and items of lists
// that are looked at to find members. No object that people write needs as much; but
// whoever writes objects may write, too, that we own one item by each of many names.
const (
	maxHashed = 16 << 20
	maxLooks  = 4 << 20
)

// spent reports whether no more of the object is looked at.
func (h *hasher) spent() bool { return h.left < 0 || len(h.buf) > maxHashed }

func (h *hasher) release() {
	if cap(h.buf) > maxKept {
		h.buf = nil
	}
	if cap(h.keys) > maxKeptKeys {
		h.keys = nil
	}
	clear(h.keys[:cap(h.keys)])
	h.buf, h.keys = h.buf[:0], h.keys[:0]
	hashers.Put(h)
}

// owned writes the part of value that fields names. A field without fields
// below it is owned with all that it holds.
func (h *hasher) owned(fields map[string]any, value any, depth int) {
	if depth == 0 {
		return
	}
	base, at := h.push(fields), placeOf(value, len(fields))
	for i := base; i < len(h.keys) && !h.spent(); i++ {
		key := h.keys[i]
		h.text(key)
		if key == "." {
			h.presence(value)
			continue
		}
		below, _ := fields[key].(map[string]any)
		child, found := h.step(&at, key)
		switch {
		case !found:
			h.buf = append(h.buf, '-')
		case len(below) == 0:
			h.value(child, depth-1)
		default:
			h.owned(below, child, depth-1)
		}
	}
	h.pop(base)
}

// push puts the sorted keys of a map on the stack and returns where they begin.
func (h *hasher) push(m map[string]any) int {
	h.buf = append(h.buf, '{')
	base := len(h.keys)
	for k := range m {
		h.keys = append(h.keys, k)
	}
	slices.Sort(h.keys[base:])
	return base
}

func (h *hasher) pop(base int) {
	h.keys = h.keys[:base]
	h.buf = append(h.buf, '}')
}

func (h *hasher) presence(value any) {
	if value == nil {
		h.buf = append(h.buf, '-')
		return
	}
	h.buf = append(h.buf, '+')
}

func (h *hasher) text(s string) { h.buf = appendText(h.buf, s) }

// appendText writes a text so that nothing that follows can be taken for a part of it.
func appendText(buf []byte, s string) []byte {
	buf = append(buf, 's')
	buf = binary.AppendUvarint(buf, uint64(len(s)))
	return append(buf, s...)
}

func (h *hasher) value(value any, depth int) {
	switch v := value.(type) {
	case nil:
		h.buf = append(h.buf, '0')
	case string:
		h.text(v)
	case bool:
		h.buf = append(h.buf, 'b')
		h.buf = strconv.AppendBool(h.buf, v)
	case int64:
		h.number(float64(v), v, true)
	case float64:
		h.number(v, int64(v), v == math.Trunc(v) && math.Abs(v) < 1<<53)
	case map[string]any:
		h.mapping(v, depth)
	case []any:
		h.list(v, depth)
	}
}

// number writes 1 and 1.0 alike.
func (h *hasher) number(f float64, n int64, whole bool) {
	if whole {
		h.buf = append(h.buf, 'i')
		h.buf = binary.AppendVarint(h.buf, n)
		return
	}
	h.buf = append(h.buf, 'f')
	h.buf = binary.BigEndian.AppendUint64(h.buf, math.Float64bits(f))
}

func (h *hasher) mapping(m map[string]any, depth int) {
	if depth == 0 {
		return
	}
	base := h.push(m)
	for i := base; i < len(h.keys) && !h.spent(); i++ {
		key := h.keys[i]
		h.text(key)
		h.value(m[key], depth-1)
	}
	h.pop(base)
}

func (h *hasher) list(items []any, depth int) {
	if depth == 0 {
		return
	}
	h.buf = append(h.buf, '[')
	for _, item := range items {
		if h.spent() {
			break
		}
		h.value(item, depth-1)
	}
	h.buf = append(h.buf, ']')
}
