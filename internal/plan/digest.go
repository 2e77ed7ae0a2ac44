package plan

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/zeebo/blake3"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// digest names the content of a desired object together with the rules by
// which it is compared: two equal digests want the same of the cluster.
func digest(object map[string]any, ignore gitops.Ignore, drift gitops.Drift) (string, error) {
	held, _ := buffers.Get().(*[]byte)
	defer buffers.Put(held)
	b, err := appendCanonical((*held)[:0], object)
	if err != nil {
		return "", err
	}
	for _, list := range [][]string{ignore.JSONPointers, ignore.JQ, ignore.Managers} {
		b = append(b, 0)
		for _, s := range list {
			b = append(strconv.AppendQuote(b, s), ',')
		}
	}
	for _, f := range ignore.Types {
		b = append(strconv.AppendQuote(strconv.AppendQuote(b, f.Field), f.Type), ',')
	}
	if ignore.CountStatus {
		b = append(b, "+status"...)
	}
	b = append(b, drift.Policy...)
	for _, f := range drift.Fields {
		b = append(append(strconv.AppendQuote(b, f.Pointer), f.Policy...), ',')
	}
	*held = b
	sum := blake3.Sum256(b)
	return hex.EncodeToString(sum[:16]), nil
}

// appendCanonical writes a JSON value with sorted keys and no spaces. It is
// for hashing: texts are quoted as Go does, which is one to one as well.
func appendCanonical(b []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case map[string]any:
		return appendMap(b, v)
	case []any:
		return appendList(b, v)
	case string:
		return strconv.AppendQuote(b, v), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64), nil
	case nil:
		return append(b, "null"...), nil
	}
	other, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a %T: %w", value, err)
	}
	return append(b, other...), nil
}

func appendMap(b []byte, m map[string]any) ([]byte, error) {
	var few [16]string
	keys := few[:0]
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	b = append(b, '{')
	for _, key := range keys {
		b = append(strconv.AppendQuote(b, key), ':')
		var err error
		if b, err = appendCanonical(b, m[key]); err != nil {
			return nil, err
		}
		b = append(b, ',')
	}
	return append(b, '}'), nil
}

func appendList(b []byte, list []any) ([]byte, error) {
	b = append(b, '[')
	for _, item := range list {
		var err error
		if b, err = appendCanonical(b, item); err != nil {
			return nil, err
		}
		b = append(b, ',')
	}
	return append(b, ']'), nil
}
