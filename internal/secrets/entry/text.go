package entry

import (
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/causeway-gitops/causeway/internal/secrets/value"
)

type text []byte

// value of an object is its JSON as it is written; a number keeps its digits
// where it is a whole one.
func (t text) value(property string) ([]byte, error) {
	if property == "" {
		return t, nil
	}
	at, err := t.at(property)
	if err != nil {
		return nil, err
	}
	return []byte(at.String()), nil
}

// fields are those of a JSON object.
func (t text) fields(property string) (map[string][]byte, error) {
	object := []byte(t)
	if property != "" {
		at, err := t.at(property)
		if err != nil {
			return nil, err
		}
		object = []byte(at.String())
	}
	return value.Fields(object)
}

func (t text) at(property string) (gjson.Result, error) {
	at := gjson.GetBytes(t, property)
	switch {
	case at.Exists():
		return at, nil
	case !gjson.ValidBytes(t): // half an answer, or a page of a proxy: no reason to delete anything
		return at, fmt.Errorf("the entry is no JSON, and has no property %q", property)
	default:
		return at, fmt.Errorf("%w: %q", errNoProperty, property)
	}
}
