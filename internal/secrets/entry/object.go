package entry

import "github.com/causeway-gitops/causeway/internal/secrets/value"

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
	return text(o).value(property)
}

func (o object) fields(property string) (map[string][]byte, error) {
	inner, err := o.value(property)
	if err != nil {
		return nil, err
	}
	return value.Fields(inner)
}
