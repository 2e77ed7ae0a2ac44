package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// PreviewSource is the file that the preview's schema is made of.
const PreviewSource = "../internal/preview/forecast/forecast.go"

// PreviewSchemaID names the schema; its version is that of the document.
const PreviewSchemaID = "urn:causeway:preview:v1"

// Schema writes the JSON Schema (draft 2020-12) of the struct called root in
// the text of a Go file: names and omitempty from the tags, descriptions from
// the comments, enumerations from the constants. A field is required unless
// it is left out when empty.
func Schema(id, root string, source []byte) ([]byte, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("cannot read the types of %s: %w", root, err)
	}
	g := schemaOf{file: file, definitions: map[string]any{}}
	for _, d := range file.Decls {
		g.declaration(d)
	}
	top, ok := g.definitions[root].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("there is no type %s", root)
	}
	delete(g.definitions, root)
	top["$schema"], top["$id"], top["title"], top["$defs"] = "https://json-schema.org/draft/2020-12/schema", id, root, g.definitions
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(top); err != nil {
		return nil, fmt.Errorf("cannot write the schema of %s: %w", root, err)
	}
	return b.Bytes(), nil
}

type schemaOf struct {
	file        *ast.File
	definitions map[string]any
}

func (g schemaOf) declaration(d ast.Decl) {
	decl, ok := d.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, s := range decl.Specs {
		spec, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		out := g.schema(spec.Type)
		if values := g.values(spec.Name.Name); len(values) > 0 {
			out["enum"] = values
		}
		describe(out, decl.Doc)
		g.definitions[spec.Name.Name] = out
	}
}

// values are the constants of a type, as written.
func (g schemaOf) values(name string) []string {
	var out []string
	ast.Inspect(g.file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if t, ok := spec.Type.(*ast.Ident); ok && t.Name == name {
			out = append(out, literals(spec.Values)...)
		}
		return true
	})
	return out
}

func literals(all []ast.Expr) []string {
	var out []string
	for _, v := range all {
		literal, ok := v.(*ast.BasicLit)
		if !ok {
			continue
		}
		if text, err := strconv.Unquote(literal.Value); err == nil {
			out = append(out, text)
		}
	}
	return out
}

func (g schemaOf) schema(e ast.Expr) map[string]any {
	switch t := e.(type) {
	case *ast.StarExpr:
		return g.schema(t.X)
	case *ast.ArrayType:
		return map[string]any{"type": "array", "items": g.schema(t.Elt)}
	case *ast.StructType:
		return g.object(t)
	case *ast.Ident:
		return named(t.Name)
	}
	return map[string]any{}
}

func named(name string) map[string]any {
	switch name {
	case "string":
		return map[string]any{"type": "string"}
	case "bool":
		return map[string]any{"type": "boolean"}
	case "int", "int64":
		return map[string]any{"type": "integer"}
	case "any":
		return map[string]any{}
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

func (g schemaOf) object(t *ast.StructType) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range t.Fields.List {
		name, options := tagged(f)
		if name == "" || name == "-" {
			continue
		}
		child := g.schema(f.Type)
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
			nullable(child)
		}
		describe(child, f.Doc, f.Comment)
		properties[name] = child
	}
	slices.Sort(required)
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// nullable: encoding/json writes a list that is nil, and not left out, as null.
func nullable(child map[string]any) {
	if child["type"] == "array" {
		child["type"] = []string{"array", "null"}
	}
}

func tagged(f *ast.Field) (name, options string) {
	if f.Tag == nil {
		return "", ""
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return "", ""
	}
	name, options, _ = strings.Cut(reflect.StructTag(text).Get("json"), ",")
	return name, options
}

func describe(out map[string]any, groups ...*ast.CommentGroup) {
	for _, group := range groups {
		if text := strings.Join(strings.Fields(group.Text()), " "); text != "" {
			out["description"] = text
			return
		}
	}
}
