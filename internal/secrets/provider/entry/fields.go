package entry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Fields is an entry of values by their names. A property is a name, or a name and
// a path into the value as JSON.
type Fields map[string][]byte

// Value of no property are all fields as a JSON object of texts.
func (f Fields) Value(property string) ([]byte, error) {
	if property == "" {
		texts := make(map[string]string, len(f))
		for name, value := range f {
			texts[name] = string(value)
		}
		return json.Marshal(texts)
	}
	if value, ok := f[property]; ok {
		return value, nil
	}
	if name, path, ok := strings.Cut(property, "."); ok {
		if value, there := f[name]; there {
			return Text(value).Value(path)
		}
	}
	return nil, f.missing(property)
}

// Fields of a property are those of its value as a JSON object.
func (f Fields) Fields(property string) (map[string][]byte, error) {
	if property == "" {
		return maps.Clone(f), nil
	}
	value, err := f.Value(property)
	if err != nil {
		return nil, err
	}
	return Text(value).Fields("")
}

func (f Fields) missing(property string) error {
	return fmt.Errorf("%w: it has no property %q, but %v", provider.ErrNotFound, property, slices.Sorted(maps.Keys(f)))
}
