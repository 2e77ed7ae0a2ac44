package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"strings"
)

// strictly reads JSON whose fields are all known.
func strictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err != nil && !strings.HasPrefix(err.Error(), "json: unknown field") {
		return errors.New("a field is of another type than the provider's")
	}
	if err != nil {
		return errors.New("the provider does not know the field " + strings.TrimPrefix(err.Error(), "json: unknown field "))
	}
	return nil
}

// ErrNoObject is of an entry that has no fields.
var ErrNoObject = errors.New("it is no JSON object")

// Object is a JSON object whose numbers stay as they are written.
func Object(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil || object == nil {
		return nil, ErrNoObject
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrNoObject
	}
	return object, nil
}

// With is a JSON object with a field of another value.
func With(object map[string]any, property string, value []byte) map[string]any {
	out := maps.Clone(object)
	if out == nil {
		out = map[string]any{}
	}
	out[property] = string(value)
	return out
}

// Same reports whether two JSON objects say the same.
func Same(a, b map[string]any) bool {
	first, err := json.Marshal(a)
	if err != nil {
		return false
	}
	second, err := json.Marshal(b)
	return err == nil && bytes.Equal(first, second)
}

// Text is an object as JSON, in which signs stay as they are.
func Text(object map[string]any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
