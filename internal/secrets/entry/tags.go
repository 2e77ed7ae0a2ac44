package entry

import "encoding/json"

// tags are what an entry is marked with. A property is as that of fields.
type tags struct {
	of     string
	fields fields
}

// all have names that begin with that of the entry, as External Secrets has it of Azure: of
// a tag that is a JSON object of texts, each of these is one.
func (t tags) all(property string) (map[string][]byte, error) {
	if property != "" {
		value, err := t.fields.value(property)
		if err != nil {
			return nil, err
		}
		return map[string][]byte{t.named(property): value}, nil
	}
	out := make(map[string][]byte, len(t.fields))
	for name, value := range t.fields {
		var inner map[string]string
		if err := json.Unmarshal(value, &inner); err != nil || inner == nil {
			out[t.named(name)] = value
			continue
		}
		for field, text := range inner {
			out[t.named(name+"_"+field)] = []byte(text)
		}
	}
	return out, nil
}

func (t tags) named(name string) string { return t.of + "_" + name }
