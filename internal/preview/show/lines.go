package show

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// line of a difference: its sign is '+', '-', or a blank for what both have.
type line struct {
	sign byte
	text string
}

// objectLines is an object's change as lines of YAML below their paths.
func objectLines(o forecast.Object) []line {
	switch o.Change {
	case forecast.Added:
		return signed('+', o.Manifest)
	case forecast.Removed:
		return signed('-', o.Manifest)
	case forecast.Changed:
	}
	out := fieldLines(o.Fields)
	if o.Omitted > 0 {
		out = append(out, line{' ', "… and " + gitops.Count(o.Omitted, "more field")})
	}
	return out
}

func signed(sign byte, text string) []line {
	if text == "" {
		return nil
	}
	var out []line
	for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		out = append(out, line{sign, screen.Line(l)})
	}
	return out
}

// fieldLines writes each field below the path of what it is in; fields of one
// parent share its line.
func fieldLines(fields []forecast.Field) []line {
	var out []line
	parent, started := "", false
	for _, f := range fields {
		above, last := splitPath(f.Path)
		if above != parent || !started {
			parent, started = above, true
			if above != "" {
				out = append(out, line{' ', screen.Line(above) + ":"})
			}
		}
		indent := ""
		if above != "" {
			indent = "  "
		}
		out = append(out, changeLines(indent, last, f)...)
	}
	return out
}

// splitPath parts the last step from a path; quotes and brackets are opened.
func splitPath(path string) (parent, last string) {
	at, quoted, depth := -1, false, 0
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"' && depth > 0:
			quoted = !quoted
		case quoted:
		case c == '[':
			if depth == 0 {
				at = i
			}
			depth++
		case c == ']' && depth > 0:
			depth--
		case c == '.' && depth == 0:
			at = i
		}
	}
	if at < 0 {
		return "", path
	}
	return path[:at], strings.TrimPrefix(path[at:], ".")
}

// changeLines are the lines of one field.
func changeLines(indent, name string, f forecast.Field) []line {
	old, isText := f.Old.(string)
	head, isTextToo := f.New.(string)
	if isText && isTextToo && (strings.Contains(old, "\n") || strings.Contains(head, "\n")) {
		if f.Masked && old == head { // what differs is masked on both sides
			return []line{{' ', indent + key(name) + " |  # another value, which is masked"}}
		}
		return append([]line{{' ', indent + key(name) + " |"}}, hunks(indent+"  ", old, head)...)
	}
	var out []line
	if f.Old != nil {
		out = append(out, valueLines('-', indent, name, f.Old)...)
	}
	if f.New == nil {
		return out
	}
	added := valueLines('+', indent, name, f.New)
	if f.Masked && isText && isTextToo && old == head {
		added[len(added)-1].text += "  # another value"
	}
	return append(out, added...)
}

// key writes the last step of a path as YAML does, as far as it goes.
func key(name string) string {
	if name == "[order]" {
		return "order:"
	}
	if inner, ok := strings.CutPrefix(name, "["); ok && strings.HasPrefix(inner, `"`) {
		name = strings.TrimSuffix(inner, "]")
	}
	return screen.Line(name) + ":"
}

func valueLines(sign byte, indent, name string, v any) []line {
	text := yamlText(v)
	if strings.HasPrefix(name, "[") && !strings.HasPrefix(name, `["`) && name != "[order]" {
		return itemLines(sign, indent, text)
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			return append([]line{{sign, indent + key(name)}}, indented(sign, indent+"  ", text)...)
		}
	case []any:
		if len(v) > 0 {
			return append([]line{{sign, indent + key(name)}}, indented(sign, indent, text)...)
		}
	}
	first, rest, more := strings.Cut(text, "\n")
	out := []line{{sign, indent + key(name) + " " + screen.Line(first)}}
	if more {
		out = append(out, indented(sign, indent, rest)...)
	}
	return out
}

// itemLines are those of a list's item.
func itemLines(sign byte, indent, text string) []line {
	first, rest, more := strings.Cut(text, "\n")
	out := []line{{sign, indent + "- " + screen.Line(first)}}
	if more {
		out = append(out, indented(sign, indent+"  ", rest)...)
	}
	return out
}

func indented(sign byte, indent, text string) []line {
	out := signed(sign, text)
	for i := range out {
		out[i].text = indent + out[i].text
	}
	return out
}

func yamlText(v any) string {
	text, err := forecast.YAML(v)
	if err != nil {
		return "?"
	}
	return strings.TrimSuffix(string(text), "\n")
}

const (
	contextLines = 2
	// maxHunkLines bounds what is aligned line by line.
	maxHunkLines = 2000
)

// hunks are the lines in which two texts differ, with a little around them.
func hunks(indent, a, b string) []line {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(x)+len(y) > maxHunkLines {
		return append(indented('-', indent, a), indented('+', indent, b)...)
	}
	var out []line
	m := difflib.NewMatcher(x, y)
	for i, group := range m.GetGroupedOpCodes(contextLines) {
		if i > 0 {
			out = append(out, line{' ', indent + "…"})
		}
		for _, op := range group {
			if op.Tag == 'e' {
				out = append(out, hunk(' ', indent, x[op.I1:op.I2])...)
				continue
			}
			out = append(out, hunk('-', indent, x[op.I1:op.I2])...)
			out = append(out, hunk('+', indent, y[op.J1:op.J2])...)
		}
	}
	return out
}

func hunk(sign byte, indent string, texts []string) []line {
	out := make([]line, len(texts))
	for i, text := range texts {
		out[i] = line{sign, indent + screen.Line(text)}
	}
	return out
}
