package object

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// canon writes a value so that values that mean the same give the same text.
func canon(s shape, v any) string {
	var b strings.Builder
	writeCanon(&b, s, v)
	return b.String()
}

func writeCanon(b *strings.Builder, s shape, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(strconv.Quote(k) + ":")
			writeCanon(b, s.field(k), v[k])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case []any:
		writeCanonList(b, s, v)
	default:
		b.WriteString(canonScalar(s, v))
	}
}

func writeCanonList(b *strings.Builder, s shape, list []any) {
	b.WriteByte('[')
	defer b.WriteByte(']')
	if !s.list.unordered(list) {
		for _, item := range list {
			writeCanon(b, s.item(), item)
			b.WriteByte(',')
		}
		return
	}
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = canon(s.item(), item)
	}
	slices.Sort(texts)
	for _, text := range texts {
		b.WriteString(text + ",")
	}
}

// unordered reports whether the order of these items has no meaning.
func (r listRule) unordered(list []any) bool {
	if r.ordered {
		return false
	}
	if len(r.keys) > 0 {
		return identities(list, r.keys) != nil
	}
	return r.set && allScalars(list)
}

func allScalars(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { return !gitops.IsScalar(v) })
}

func canonScalar(s shape, v any) string {
	if s.quantity() {
		if q, ok := quantity(v); ok {
			return "q" + q
		}
	}
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// maxQuantity bounds what is parsed as a quantity; longer ones are texts.
const maxQuantity = 64

// quantity gives the number that a quantity stands for.
func quantity(v any) (string, bool) {
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case int64:
		text = strconv.FormatInt(v, 10)
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return "", false
	}
	if text == "" || len(text) > maxQuantity || !bounded.QuantityFits(text) {
		return "", false
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return "", false
	}
	number := q.AsDec().String()
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number, true
}
