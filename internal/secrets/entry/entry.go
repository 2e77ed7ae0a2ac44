package entry

import (
	"errors"
	"fmt"
)

// ErrNotFound is that a store has no such entry. It is an answer, and no failure to
// get one. Of an entry of the form OfText, it is also that there is no such property.
var ErrNotFound = errors.New("Secret does not exist") //nolint:staticcheck // as External Secrets has it, in conditions that people search for

// errNoProperty is that an entry is there, and has no such property. External Secrets
// has that as an error of most providers: a field that was renamed is no reason to
// delete what was made of it.
var errNoProperty = errors.New("the entry has no such property")

// Form says what an entry is.
type Form string

// What an entry is.
const (
	// OfText is a text, whose properties are paths of gjson into it as JSON: a.b,
	// l.0, l.#(id=="x").v. One that is not there is ErrNotFound, as External Secrets'
	// provider fake has it.
	OfText Form = "text"
	// OfObject is a text that is a JSON object. A property is the name of a field, or
	// else a path as that of OfText, or else the names of a field and of one in it.
	OfObject Form = "object"
	// OfFields are values by their names. A property is a name, or a name and a path
	// into the value as JSON.
	OfFields Form = "fields"
	// OfTags are what the entry Of is marked with. A property is as that of OfFields; where
	// all are taken, their names begin with Of.
	OfTags Form = "tags"
	// OfAnswer is what an HTTP server said. Where in it the value is, a JSONPath says,
	// and no property.
	OfAnswer Form = "answer"
)

// Entry is what a store keeps at one place.
type Entry struct {
	Form   Form              `json:"form"`
	Text   []byte            `json:"text,omitempty"`
	Fields map[string][]byte `json:"fields,omitempty"`
	// Of is the name of the entry whose tags these are.
	Of string `json:"of,omitempty"`
	// Path is the JSONPath of an answer; the whole of it when empty.
	Path string `json:"path,omitempty"`
	// Version is the one that the provider told; empty for one that has none. Nothing is
	// computed of it.
	Version string `json:"-"`
}

// Text is an entry that is one.
func Text(text []byte) Entry { return Entry{Form: OfText, Text: text} }

// Object is an entry that is a JSON object.
func Object(text []byte) Entry { return Entry{Form: OfObject, Text: text} }

// Fields is an entry that has some.
func Fields(fields map[string][]byte) Entry { return Entry{Form: OfFields, Fields: fields} }

// Tags are what the entry of a name is marked with.
func Tags(of string, all map[string][]byte) Entry { return Entry{Form: OfTags, Of: of, Fields: all} }

// Answer is what an HTTP server said, and where in it the value is.
func Answer(body []byte, path string) Entry { return Entry{Form: OfAnswer, Text: body, Path: path} }

// At is the entry as one of a version.
func (e Entry) At(version string) Entry {
	e.Version = version
	return e
}

// Size is about what the entry takes in memory, in bytes.
func (e Entry) Size() int {
	size := len(e.Text)
	for name, value := range e.Fields {
		size += len(name) + len(value)
	}
	return size
}

// Value is the entry as it is, or what a property names in it.
func (e Entry) Value(property string) ([]byte, error) {
	switch e.Form {
	case OfText:
		value, err := text(e.Text).value(property)
		return value, absent(err)
	case OfObject:
		return object(e.Text).value(property)
	case OfFields, OfTags:
		return fields(e.Fields).value(property)
	case OfAnswer:
		return answer{e.Text, e.Path}.value()
	default:
		return nil, fmt.Errorf("an entry of the unknown form %q", e.Form)
	}
}

// Map are the fields of the entry, or of what a property names in it.
func (e Entry) Map(property string) (map[string][]byte, error) {
	switch e.Form {
	case OfText:
		named, err := text(e.Text).fields(property)
		return named, absent(err)
	case OfObject:
		return object(e.Text).fields(property)
	case OfFields:
		return fields(e.Fields).fields(property)
	case OfTags:
		return tags{e.Of, e.Fields}.all(property)
	case OfAnswer:
		return answer{e.Text, e.Path}.fields()
	default:
		return nil, fmt.Errorf("an entry of the unknown form %q", e.Form)
	}
}

// absent is an error of a property that a text has not.
func absent(err error) error {
	if errors.Is(err, errNoProperty) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return err
}
