package schema

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// root is the address of a schema, as Helm has it.
	root = "file:///values.schema.json"
	// anything is the address of a schema that everything fits.
	anything = "urn:causeway:anything"
)

// document is a schema that refers to nothing elsewhere.
type document struct {
	root any
	// elsewhere is what it did refer to.
	elsewhere []string
}

func parse(text []byte) (*document, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	d := &document{root: v}
	base, err := url.Parse(root)
	if err != nil {
		return nil, err
	}
	own := owners{root: true}
	own.collect(v, base)
	d.detach(v, base, own)
	return d, nil
}

// judge compiles the schema and checks values.
func (d *document) judge(values map[string]any) (failure string, elsewhere []string, err error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(d)
	for address, doc := range map[string]any{root: d.root, anything: true} {
		if err := c.AddResource(address, doc); err != nil {
			return "", nil, err
		}
	}
	compiled, err := c.Compile(root)
	if err != nil {
		return "", nil, shortened(err)
	}
	var misfit *jsonschema.ValidationError
	if errors.As(compiled.Validate(values), &misfit) {
		failure = text(misfit)
	}
	return failure, d.elsewhere, nil
}

// Load implements jsonschema.URLLoader. The library brings the metaschemas of
// JSON Schema itself; it asks here for what is elsewhere, and gets nothing.
func (d *document) Load(address string) (any, error) {
	u, err := url.Parse(address)
	if err != nil || !remote[u.Scheme] {
		return nil, fmt.Errorf("%q is no part of it, and nothing else is read", address)
	}
	d.elsewhere = append(d.elsewhere, address)
	return true, nil
}

// remote are the schemes that a schema may name, and that nothing is read of.
var remote = map[string]bool{"http": true, "https": true, "urn": true}

// owners are the addresses of a document and of its parts.
type owners map[string]bool

func (o owners) collect(v any, base *url.URL) {
	eachSchema(v, func(schema map[string]any) {
		inner := baseOf(schema, base)
		o[inner.String()] = true
		for _, child := range schema {
			o.collect(child, inner)
		}
	})
}

// baseOf is what references of a schema are relative to.
func baseOf(schema map[string]any, base *url.URL) *url.URL {
	for _, key := range []string{"$id", "id"} {
		id, ok := schema[key].(string)
		if !ok {
			continue
		}
		id, _, _ = strings.Cut(id, "#")
		if u, err := base.Parse(id); err == nil {
			return u
		}
	}
	return base
}

// detach has what refers to somewhere else take anything. The address stays
// where a metaschema is meant, which the library brings.
func (d *document) detach(v any, base *url.URL, own owners) {
	eachSchema(v, func(schema map[string]any) {
		inner := baseOf(schema, base)
		if ref, ok := schema["$ref"].(string); ok {
			address, _, _ := strings.Cut(ref, "#")
			u, err := inner.Parse(address)
			if address != "" && err == nil && remote[u.Scheme] && !own[u.String()] && u.Host != "json-schema.org" {
				d.elsewhere = append(d.elsewhere, u.String())
				schema["$ref"] = anything
			}
		}
		for key, child := range schema {
			named, ok := child.(map[string]any)
			switch {
			case ok && hasNames[key]:
				for _, schema := range named {
					d.detach(schema, inner, own)
				}
			case !isText[key]:
				d.detach(child, inner, own)
			}
		}
	})
}

// isText are the keywords whose values are no schemas, whatever they look like.
var isText = map[string]bool{"const": true, "enum": true, "default": true, "examples": true}

// hasNames are the keywords whose values have schemas by names that people choose: one
// may be called like a keyword.
var hasNames = map[string]bool{"properties": true, "patternProperties": true, "definitions": true, "$defs": true, "dependentSchemas": true, "dependencies": true}

// eachSchema calls f with an object, or those of a list.
func eachSchema(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(v)
	case []any:
		for _, item := range v {
			eachSchema(item, f)
		}
	}
}
