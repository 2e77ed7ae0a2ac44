package entry

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/causeway-gitops/causeway/internal/secrets/value"
)

type object []byte

// value of a field is its bytes, those of a text without quotes.
func (o object) value(property string) ([]byte, error) {
	if property == "" {
		return o, nil
	}
	if named, err := value.Fields(o); err == nil {
		if field, ok := named[property]; ok {
			return field, nil
		}
	}
	found, err := text(o).value(property)
	if errors.Is(err, errNoProperty) {
		if below, ok := o.below(property); ok {
			return below, nil
		}
	}
	return found, err
}

// below is a field of an object in a field, by names that may have dots: annotations.example.com/owner.
func (o object) below(property string) ([]byte, bool) {
	name, rest, _ := strings.Cut(property, ".")
	var outer map[string]json.RawMessage
	if value.Parse(o, &outer) != nil {
		return nil, false
	}
	inner, err := value.Fields(outer[name])
	if err != nil {
		return nil, false
	}
	found, ok := inner[rest]
	return found, ok
}

func (o object) fields(property string) (map[string][]byte, error) {
	inner, err := o.value(property)
	if err != nil {
		return nil, err
	}
	return value.Fields(inner)
}
