package entry

import (
	"fmt"
	"math"
	"strconv"

	"github.com/PaesslerAG/jsonpath"

	"github.com/causeway-gitops/causeway/internal/secrets/value"
)

// answer is what a server said, and where in it the value is.
type answer struct {
	body []byte
	path string
}

// value of several is the first; fractions are rounded.
func (a answer) value() ([]byte, error) {
	if a.path == "" {
		return a.body, nil
	}
	v, err := a.at()
	if err != nil {
		return nil, err
	}
	if list, ok := v.([]any); ok {
		if len(list) == 0 {
			return nil, fmt.Errorf("filter worked but didn't get any result: result.jsonPath %q", a.path)
		}
		v = list[0]
	}
	if number, ok := v.(float64); ok {
		return strconv.AppendFloat(nil, math.RoundToEven(number), 'f', 0, 64), nil
	}
	return value.Bytes(v)
}

// fields are those of an object, or of the text of one.
func (a answer) fields() (map[string][]byte, error) {
	v, err := a.at()
	if err != nil {
		return nil, err
	}
	if text, ok := v.(string); ok {
		if err := value.Parse([]byte(text), &v); err != nil {
			return nil, fmt.Errorf("failed to parse response json from jsonpath: %w", err)
		}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("wrong type: result.jsonPath %q leads to %s, and no object", a.path, kindOf(v))
	}
	out := make(map[string][]byte, len(object))
	for name := range object {
		if out[name], err = value.OfField(object, name); err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
	}
	return out, nil
}

func (a answer) at() (any, error) {
	var body any
	if err := value.Parse(a.body, &body); err != nil {
		return nil, fmt.Errorf("failed to parse response json: %w", err)
	}
	if a.path == "" {
		return body, nil
	}
	v, err := jsonpath.Get(a.path, body)
	if err != nil {
		return nil, fmt.Errorf("result.jsonPath %q: %w", a.path, err)
	}
	return v, nil
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case []any:
		return "a list"
	case string:
		return "a text"
	case bool:
		return "a boolean"
	default:
		return "a number"
	}
}
