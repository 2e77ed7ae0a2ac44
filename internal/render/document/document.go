// Package document splits text into YAML or JSON documents and reads each as
// a Kubernetes object, by the YAML 1.1 rules that kubectl and Argo CD use.
//
// It knows lines, not files: callers say where a text came from.
package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	yamlv2 "go.yaml.in/yaml/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// MostValues are those of all texts of one Application together: its value
// files, and the objects that its sources give.
const MostValues = 2_000_000

// Error is a document that cannot be read, with its line in the whole text.
type Error struct {
	Line int
	Text string
	// Err is the cause, where one is known.
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Document is one object as it was read.
type Document struct {
	Object *unstructured.Unstructured
	// Line is where the object starts in the whole text, from 1.
	Line int
	// Duplicate is set when a key stands twice in one mapping, of which the
	// last was taken: it says which and where.
	Duplicate *Error
}

// Read reads all documents of a text; empty ones and those of comments alone
// give nothing. On an error the documents before it are returned too.
func Read(text []byte) ([]Document, error) { return Within(nil).Read(text) }

// ReadLoose is Read for the output of templates, in which a separator may
// run into the text that follows it.
func ReadLoose(text []byte) ([]Document, error) { return Within(nil).ReadLoose(text) }

// Reader reads texts that have their values from one budget, and their bytes
// from another.
type Reader struct {
	left, bytes *bounded.Budget
	plain       bool
}

// ErrNotPlain says that a text is read by a library alone.
var ErrNotPlain = errors.New("the text is not plain")

// Plainly reads what needs no library. What does is ErrNotPlain.
func (r Reader) Plainly() Reader {
	r.plain = true
	return r
}

// Within reads by a budget of values; without one, each text has its own.
func Within(b *bounded.Budget) Reader { return Reader{left: b} }

// Holding reads by a budget of bytes, too: those of the texts, or of the
// objects where they are more.
func (r Reader) Holding(bytes *bounded.Budget) Reader { return Reader{r.left, bytes, r.plain} }

// Read is Read of the package.
func (r Reader) Read(text []byte) ([]Document, error) { return r.read(Split(text)) }

// ReadLoose is ReadLoose of the package.
func (r Reader) ReadLoose(text []byte) ([]Document, error) { return r.read(splitLoose(text)) }

func (r Reader) read(parts []Part) ([]Document, error) {
	if r.left == nil {
		r.left = bounded.NewBudget(MostValues)
	}
	var docs []Document
	for _, p := range parts {
		doc, err := r.object(p)
		if err != nil {
			return docs, err
		}
		if doc.Object != nil {
			docs = append(docs, doc)
		}
	}
	return docs, nil
}

// object takes the part's bytes before it is parsed.
func (r Reader) object(p Part) (Document, error) {
	if err := r.bytes.Take(len(p.Text)); err != nil {
		return Document{}, p.refused(err)
	}
	doc, err := p.object(r.left, r.plain)
	if err != nil || doc.Object == nil || r.bytes == nil || !bounded.Repeats(p.Text) {
		return doc, err
	}
	if err := r.bytes.Take(max(0, bytesOf(doc.Object.Object)-len(p.Text))); err != nil {
		return Document{}, p.refused(err)
	}
	return doc, nil
}

// bytesOf is about the length of a value as JSON.
func bytesOf(value any) int {
	switch v := value.(type) {
	case string:
		return len(v) + len(`"",`)
	case map[string]any:
		n := len(`{},`)
		for name, below := range v {
			n += len(name) + len(`"":`) + bytesOf(below)
		}
		return n
	case []any:
		n := len(`[],`)
		for _, below := range v {
			n += bytesOf(below)
		}
		return n
	}
	return len(`null,`)
}

func (p Part) object(left *bounded.Budget, plain bool) (Document, error) {
	if fields, values, ok := readPlain(p.Text); ok {
		if err := left.Take(values); err != nil {
			return Document{}, p.refused(err)
		}
		return p.document(fields, nil)
	}
	if plain && len(bytes.TrimSpace(p.Text)) > 0 {
		return Document{}, ErrNotPlain
	}
	if err := left.Check(p.Text); err != nil {
		return Document{}, p.refused(err)
	}
	if fields, ok := p.direct(); ok {
		return p.document(fields, nil)
	}
	return p.byJSON()
}

// refused is a part that is not parsed.
func (p Part) refused(err error) *Error {
	var much *bounded.TooMuch
	if errors.As(err, &much) {
		return &Error{Line: p.Line, Text: err.Error(), Err: err}
	}
	return p.locate(err)
}

// direct reads the part without writing JSON in between. ok is false for what
// JSON itself is, is no mapping, or is an error to be told.
func (p Part) direct() (fields map[string]any, ok bool) {
	if trimmed := bytes.TrimSpace(p.Text); len(trimmed) == 0 || trimmed[0] == '{' {
		return nil, false
	}
	var value any
	if yamlv2.UnmarshalStrict(p.Text, &value) != nil {
		return nil, false
	}
	if value, ok = asJSON(value); ok {
		fields, ok = value.(map[string]any)
	}
	return fields, ok
}

// byJSON reads the part by way of JSON, whatever it is.
func (p Part) byJSON() (Document, error) {
	raw, duplicate, err := p.json()
	if err != nil {
		return Document{}, err
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return Document{}, nil
	}
	if raw[0] != '{' {
		return Document{}, &Error{Line: p.Line, Text: "the document is no mapping, so no Kubernetes object"}
	}
	var object map[string]any
	if err := utiljson.Unmarshal(raw, &object); err != nil {
		return Document{}, &Error{Line: p.Line, Text: err.Error()}
	}
	return p.document(object, duplicate)
}

func (p Part) document(fields map[string]any, duplicate *Error) (Document, error) {
	if kind, _ := fields["kind"].(string); kind == "" {
		return Document{}, &Error{Line: p.Line, Text: "the object has no kind"}
	}
	return Document{Object: &unstructured.Unstructured{Object: fields}, Line: p.Line, Duplicate: duplicate}, nil
}

// json converts the part; a duplicate key is no error.
func (p Part) json() (raw []byte, duplicate *Error, err error) {
	trimmed := bytes.TrimSpace(p.Text)
	if len(trimmed) == 0 {
		return nil, nil, nil
	}
	if trimmed[0] == '{' && json.Valid(trimmed) {
		return trimmed, nil, nil
	}
	raw, err = yaml.YAMLToJSONStrict(p.Text)
	if err == nil {
		return raw, nil, nil
	}
	strict := p.locate(err)
	raw, err = yaml.YAMLToJSON(p.Text)
	if err != nil {
		return nil, nil, p.locate(err)
	}
	return raw, strict, nil
}

var (
	lineInError = regexp.MustCompile(`line (\d+): ?`)
	// laterLine is how a library begins what it says of another line.
	laterLine = regexp.MustCompile(`\n\s*line (\d+): `)
)

// locate turns lines of the part into lines of the whole text.
func (p Part) locate(err error) *Error {
	text := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
	text = strings.TrimPrefix(text, "yaml: ")
	text = strings.TrimSpace(strings.TrimPrefix(text, "unmarshal errors:"))
	line := 1
	if m := lineInError.FindStringSubmatchIndex(text); m != nil {
		if n, convErr := strconv.Atoi(text[m[2]:m[3]]); convErr == nil {
			line = n
		}
		text = text[:m[0]] + text[m[1]:]
	}
	text = laterLine.ReplaceAllStringFunc(text, func(said string) string {
		n, _ := strconv.Atoi(laterLine.FindStringSubmatch(said)[1]) // it is digits
		return fmt.Sprintf("; line %d: ", p.Line+n-1)
	})
	return &Error{Line: p.Line + line - 1, Text: text}
}

// Open returns the objects of a list, or the object itself. A list is any
// object with a field items that is a list; a kind …List without items is
// an empty one.
func Open(o *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	items, has := o.Object["items"]
	if has && items == nil && strings.HasSuffix(o.GetKind(), "List") {
		return nil, nil
	}
	list, ok := items.([]any)
	if !ok {
		return []*unstructured.Unstructured{o}, nil
	}
	objects := make([]*unstructured.Unstructured, 0, len(list))
	for i, item := range list {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("item %d of the %s is no object", i, o.GetKind())
		}
		objects = append(objects, &unstructured.Unstructured{Object: fields})
	}
	return objects, nil
}

// AsError returns the Error in err, or one without a line.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Text: err.Error(), Err: err}
}

// Check tells where a text of YAML documents is broken, whatever they hold.
func Check(text []byte) *Error {
	for _, p := range Split(text) {
		if _, err := bounded.Check(p.Text); err != nil {
			return p.refused(err)
		}
		if _, _, err := p.json(); err != nil {
			return AsError(err)
		}
	}
	return nil
}
