package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// types are what the files of one Go package declare, as far as a reference
// tells of it.
type types struct {
	// tag is the kind of struct tag that has the names of fields.
	tag     string
	structs map[string]*ast.StructType
	lists   map[string]*ast.ArrayType
	// words are types of text, with the words that are allowed where a marker says so.
	words  map[string][]string
	consts []constantOf
}

// constantOf is one constant with its value and its comment.
type constantOf struct{ name, kind, value, tells string }

func readTypes(tag string, files ...string) (*types, error) {
	t := &types{tag: tag, structs: map[string]*ast.StructType{}, lists: map[string]*ast.ArrayType{}, words: map[string][]string{}}
	known := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("cannot read the types of %s: %w", name, err)
		}
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.GenDecl); ok {
				t.declared(decl, known)
			}
		}
	}
	return t, nil
}

func (t *types) declared(decl *ast.GenDecl, known map[string]string) {
	for _, s := range decl.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			switch kind := s.Type.(type) {
			case *ast.StructType:
				t.structs[s.Name.Name] = kind
			case *ast.ArrayType:
				t.lists[s.Name.Name] = kind
			case *ast.Ident:
				if kind.Name == "string" {
					t.words[s.Name.Name] = strings.FieldsFunc(marker(decl.Doc, "validation:Enum"), func(r rune) bool { return r == ';' })
				}
			}
		case *ast.ValueSpec:
			if decl.Tok == token.CONST && len(s.Values) == len(s.Names) {
				t.constants(s, decl, known)
			}
		}
	}
}

func (t *types) constants(s *ast.ValueSpec, decl *ast.GenDecl, known map[string]string) {
	kind := ""
	if id, ok := s.Type.(*ast.Ident); ok {
		kind = id.Name
	}
	for i, name := range s.Names {
		value, ok := textOf(s.Values[i], known)
		if !ok {
			continue
		}
		known[name.Name] = value
		doc := s.Doc
		if doc == nil && !decl.Lparen.IsValid() {
			doc = decl.Doc
		}
		t.consts = append(t.consts, constantOf{name.Name, kind, value, tells(name.Name, comment(doc))})
	}
}

// textOf is the value of a constant of text: literals and constants that are
// already known, joined.
func textOf(e ast.Expr, known map[string]string) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.Ident:
		v, ok := known[e.Name]
		return v, ok
	case *ast.BinaryExpr:
		left, ok := textOf(e.X, known)
		right, also := textOf(e.Y, known)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}

// howTo is a page that a comment names.
var howTo = regexp.MustCompile(`\(?See docs/(how-to/[a-z-]+\.md)( and docs/(how-to/[a-z-]+\.md))?\.?\)?`)

var (
	// markers tell generators of what is allowed; people are told by kindOf.
	markers = regexp.MustCompile(`(?m)^\s*\+.*$`)
	// noun is a name that the rest of the sentence is about.
	noun = regexp.MustCompile(`^(?:of|that|it|for|in|to|at|compared|after)\b`)
	verb = regexp.MustCompile(`^(?:is|are) `)
	own  = regexp.MustCompile(`^which Argo CD does not have: (.*?)(; \[how\].*)?$`)
)

// tells is what a comment says of the name that it begins with.
func tells(name, comment string) string {
	text := strings.TrimLeft(strings.TrimPrefix(comment, name), ":, ")
	return own.ReplaceAllString(verb.ReplaceAllString(text, ""), "$1; not in Argo CD$2")
}

// describes is a comment on a field, with the name where the sentence needs it.
func describes(name, comment string) string {
	if noun.MatchString(strings.TrimPrefix(comment, name+" ")) {
		return strings.ToLower(comment[:1]) + comment[1:]
	}
	return tells(name, comment)
}

// comment is the first that there is, in one line; pages that it names are links.
func comment(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		text := strings.Join(strings.Fields(markers.ReplaceAllString(g.Text(), "")), " ")
		if text == "" {
			continue
		}
		text = howTo.ReplaceAllStringFunc(text, func(s string) string {
			m := howTo.FindStringSubmatch(s)
			if m[3] == "" {
				return "[How](../" + m[1] + ")"
			}
			return "[How](../" + m[1] + "), [and](../" + m[3] + ")"
		})
		return strings.TrimSuffix(strings.ReplaceAll(text, ". [How]", "; [how]"), ".")
	}
	return ""
}

// field is one field of a struct, or of one below it.
type field struct{ path, kind, tells string }

// fields lists a struct's fields by their paths. Structs that are declared
// elsewhere are not looked into.
func (t *types) fields(name, prefix string) []field {
	var out []field
	for _, f := range t.structs[name].Fields.List {
		path := t.tagged(f)
		if id, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 0 && t.structs[id.Name] != nil {
			out = append(out, t.fields(id.Name, prefix)...)
			continue
		}
		if path == "" || path == "-" || len(f.Names) == 0 {
			continue
		}
		kind, inner := t.kindOf(f.Type)
		path = prefix + path
		if strings.HasPrefix(kind, "list") {
			path += "[]"
		}
		says := describes(f.Names[0].Name, comment(f.Doc, f.Comment))
		if values := t.values(inner); values != "" {
			says += ": " + values
		}
		out = append(out, field{path, kind + bounds(f.Doc), says})
		if t.structs[inner] != nil {
			out = append(out, t.fields(inner, path+".")...)
		}
	}
	return out
}

func (t *types) tagged(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(reflect.StructTag(text).Get(t.tag), ",")
	return name
}

// values are the constants of a type, for people.
func (t *types) values(kind string) string {
	var out []string
	for _, word := range t.words[kind] {
		out = append(out, "`"+word+"`")
	}
	if len(out) > 0 {
		return strings.Join(out, ", ")
	}
	for _, c := range t.consts {
		if c.kind == kind && kind != "" && c.value != "" && c.tells == "" {
			out = append(out, "`"+c.value+"`")
		}
	}
	return strings.Join(out, ", ")
}

// kindOf names a type for people, and the type of its elements.
func (t *types) kindOf(e ast.Expr) (kind, inner string) {
	switch e := e.(type) {
	case *ast.StarExpr:
		return t.kindOf(e.X)
	case *ast.ArrayType:
		if id, ok := e.Elt.(*ast.Ident); ok && id.Name == "byte" {
			return plain("string"), "" // base64 in JSON
		}
		kind, inner = t.kindOf(e.Elt)
		return "list of " + kind, inner
	case *ast.MapType:
		key, _ := t.kindOf(e.Key)
		kind, inner = t.kindOf(e.Value)
		return key + ": " + kind, inner
	case *ast.Ident:
		if list, ok := t.lists[e.Name]; ok {
			return t.kindOf(list)
		}
		if _, ok := t.words[e.Name]; ok {
			return "text", e.Name
		}
		return plain(e.Name), e.Name
	}
	return "fields", ""
}

// unit is what a bound counts, where that is not plain.
var unit = map[string]string{"MaxLength": " characters"}

// bounds are what markers say of a field's values.
func bounds(doc *ast.CommentGroup) string {
	var out strings.Builder
	least, most := marker(doc, "validation:Minimum"), marker(doc, "validation:Maximum")
	if least != "" && most != "" {
		out.WriteString(", " + least + " to " + most)
	}
	for _, name := range []string{"MaxItems", "MaxProperties", "MaxLength"} {
		if most := marker(doc, "validation:"+name); most != "" {
			out.WriteString(", at most " + most + unit[name])
		}
	}
	if otherwise := marker(doc, "default"); otherwise != "" {
		out.WriteString(", default `" + otherwise + "`")
	}
	return out.String()
}

// marker is the value of a marker of kubebuilder's.
func marker(doc *ast.CommentGroup, name string) string {
	if doc == nil {
		return ""
	}
	for line := range strings.Lines(doc.Text()) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "+kubebuilder:"+name+"="); ok {
			return value
		}
	}
	return ""
}

func plain(name string) string {
	switch name {
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "int", "int32", "int64":
		return "number"
	}
	return "fields"
}
