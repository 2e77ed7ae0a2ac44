package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// OfField is the value of one field of a JSON object that was parsed into
// floating numbers: a text is its bytes, a number has no exponent and no zeros
// at its end, null is no bytes, and lists and objects are JSON again.
func OfField(object map[string]any, field string) ([]byte, error) {
	v, ok := object[field]
	if !ok {
		return nil, fmt.Errorf("unexpected key in data: %s", field)
	}
	return Bytes(v)
}

// Bytes are those of a value as encoding/json parses it.
func Bytes(v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return []byte{}, nil
	case string:
		return []byte(v), nil
	case []byte:
		return v, nil
	case float64:
		return strconv.AppendFloat(nil, v, 'f', -1, 64), nil
	case json.Number:
		return []byte(v), nil
	case bool:
		return strconv.AppendBool(nil, v), nil
	default:
		return json.Marshal(v)
	}
}

// Parse is json.Unmarshal, whose errors quote characters and numbers of what they
// are about; this one's tell the place alone.
func Parse(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no JSON from byte %d on", syntax.Offset)
	case errors.As(err, &kind):
		what, _, _ := strings.Cut(kind.Value, " ")
		return fmt.Errorf("it has a %s at byte %d, which does not fit", what, kind.Offset)
	}
	return err
}

// Fields are those of a JSON object, each with the bytes that it is written
// with, so that large numbers keep their digits; texts are without their quotes,
// and null is empty. An error quotes no value.
func Fields(object []byte) (map[string][]byte, error) {
	var raw map[string]json.RawMessage
	if err := Parse(object, &raw); err != nil {
		return nil, fmt.Errorf("the value is no JSON object: %w", err)
	}
	out := make(map[string][]byte, len(raw))
	for name, field := range raw {
		out[name] = unquoted(field)
	}
	return out, nil
}

func unquoted(field json.RawMessage) []byte {
	var text *string
	if err := json.Unmarshal(field, &text); err != nil {
		return field
	}
	if text == nil {
		return []byte{}
	}
	return []byte(*text)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
