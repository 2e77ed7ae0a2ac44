package schema

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// maxSteps bounds what is judged in this process: a step takes about a
// microsecond, and some hundred bytes where something does not fit.
const maxSteps = 50_000

// rehearsal goes the way that judging would go at the most, as if all
// conditions held and all patterns matched, and counts the steps.
type rehearsal struct {
	root any
	left int
}

func (r *rehearsal) schema(schema, v any, depth int) {
	const level = 8 // each misfit has its whole path
	object, _ := schema.(map[string]any)
	if r.take(1 + depth/level + width(v)/4); r.left < 0 || object == nil { //nolint:mnd // a name takes less than a step
		return
	}
	for key, value := range object {
		r.keyword(key, value, v, depth+1)
	}
}

func (r *rehearsal) take(steps int) { r.left -= steps }

// width of a value; none is left for numbers that take more than their text.
func width(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	case json.Number:
		if !isShort(v) {
			return 8 * maxSteps //nolint:mnd // more than there are
		}
	}
	return 0
}

func (r *rehearsal) keyword(key string, value, v any, depth int) {
	switch key {
	case "$ref":
		ref, _ := value.(string)
		r.schema(lookup(r.root, ref), v, depth)
	case "enum", "const", "required", "dependentRequired":
		r.take(size(value))
	case "uniqueItems":
		const compared = 20 // each is, with so many others
		r.take(compared * size(v))
	case "pattern":
		pattern, _ := value.(string)
		r.match(pattern, v)
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
		r.same(value, v, depth)
	case "dependencies", "dependentSchemas":
		schemas, _ := value.(map[string]any)
		for _, s := range schemas {
			r.take(size(s))
			r.schema(s, v, depth)
		}
	default:
		r.inside(key, value, v, depth)
	}
}

// same is about schemas for the value itself: one, or a list.
func (r *rehearsal) same(schemas, v any, depth int) {
	list, ok := schemas.([]any)
	if !ok {
		list = []any{schemas}
	}
	for _, s := range list {
		r.schema(s, v, depth)
	}
}

// inside is about keywords for what a value holds.
func (r *rehearsal) inside(key string, value, v any, depth int) {
	switch key {
	case "properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames":
		fields, _ := v.(map[string]any)
		for name, field := range fields {
			r.field(key, value, name, field, depth)
		}
	case "items", "prefixItems", "additionalItems", "contains", "unevaluatedItems":
		items, _ := v.([]any)
		schemas, listed := value.([]any)
		for i, item := range items {
			switch {
			case !listed:
				r.schema(value, item, depth)
			case i < len(schemas):
				r.schema(schemas[i], item, depth)
			}
		}
	}
}

func (r *rehearsal) field(key string, value any, name string, field any, depth int) {
	schemas, _ := value.(map[string]any)
	switch key {
	case "properties":
		if s, ok := schemas[name]; ok {
			r.schema(s, field, depth)
		}
	case "patternProperties":
		for pattern, s := range schemas {
			r.match(pattern, name)
			r.schema(s, field, depth)
		}
	case "propertyNames":
		r.schema(value, name, depth)
	default:
		r.schema(value, field, depth)
	}
}

func (r *rehearsal) match(pattern string, v any) {
	const aStep = 256 // takes as long as so many instructions
	text, _ := v.(string)
	r.take(1 + instructions(pattern)*len(text)/aStep)
}

// size is about the number of steps that comparing with a value takes.
func size(v any) int {
	const aStep = 64 // takes as long as so many bytes
	n := 1
	switch v := v.(type) {
	case string:
		n += len(v) / aStep
	case []any:
		for _, item := range v {
			n += size(item)
		}
	case map[string]any:
		for key, item := range v {
			n += size(item) + len(key)/aStep
		}
	}
	return n
}

// lookup is what a reference within the document means; nil is nothing.
func lookup(v any, ref string) any {
	pointer, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	if err != nil || ref == anything {
		return nil
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch holder := v.(type) {
		case map[string]any:
			v = holder[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(holder) {
				return nil
			}
			v = holder[i]
		default:
			return nil
		}
	}
	return v
}
