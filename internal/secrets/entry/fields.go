package entry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type fields map[string][]byte

// value of no property are all fields as a JSON object of texts.
func (f fields) value(property string) ([]byte, error) {
	if property == "" {
		texts := make(map[string]string, len(f))
		for name, one := range f {
			texts[name] = string(one)
		}
		return json.Marshal(texts)
	}
	if value, ok := f[property]; ok {
		return value, nil
	}
	if name, path, ok := strings.Cut(property, "."); ok {
		if value, there := f[name]; there {
			return text(value).value(path)
		}
	}
	return nil, f.missing(property)
}

// fields of a property are those of its value as a JSON object.
func (f fields) fields(property string) (map[string][]byte, error) {
	if property == "" {
		return maps.Clone(f), nil
	}
	value, err := f.value(property)
	if err != nil {
		return nil, err
	}
	return text(value).fields("")
}

func (f fields) missing(property string) error {
	return fmt.Errorf("%w: %q; it has %v", errNoProperty, property, slices.Sorted(maps.Keys(f)))
}
