package entry

import (
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/value"
)

// Text is an entry that is a text. Its properties are paths of gjson into it as
// JSON: a.b, l.0, l.#(id=="x").v.
type Text []byte

// Value of an object is its JSON as it is written; a number keeps its digits
// where it is a whole one.
func (t Text) Value(property string) ([]byte, error) {
	if property == "" {
		return t, nil
	}
	at, err := t.at(property)
	if err != nil {
		return nil, err
	}
	return []byte(at.String()), nil
}

// Fields are those of a JSON object.
func (t Text) Fields(property string) (map[string][]byte, error) {
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

func (t Text) at(property string) (gjson.Result, error) {
	at := gjson.GetBytes(t, property)
	if !at.Exists() {
		return at, fmt.Errorf("%w: it has no property %q", provider.ErrNotFound, property)
	}
	return at, nil
}
