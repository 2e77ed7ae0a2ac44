package argocd

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxFields bounds what a selection of fields names.
const maxFields = 200

// fields select parts of an answer by their paths: those that are named, or,
// with a minus before the first, all but them. Nil is everything.
type fields struct {
	except bool
	below  map[string]*fields // none at the end of a path
}

func (c *call) fields() (*fields, error) {
	text := strings.Join(c.query["fields"], ",")
	if text == "" {
		return nil, nil
	}
	rest, except := strings.CutPrefix(text, "-")
	paths := strings.Split(rest, ",")
	if len(paths) > maxFields {
		return nil, problemf(invalid, "fields has more than %d paths", maxFields)
	}
	root := &fields{except, map[string]*fields{}}
	for _, path := range paths {
		at := root
		for name := range strings.SplitSeq(path, ".") {
			if at.below[name] == nil {
				at.below[name] = &fields{except, map[string]*fields{}}
			}
			at = at.below[name]
		}
	}
	return root, nil
}

// name is one text for all selections of the same fields.
func (f *fields) name() string {
	if f == nil {
		return ""
	}
	var b strings.Builder
	f.write(&b)
	return b.String()
}

func (f *fields) write(to *strings.Builder) {
	if f.except {
		to.WriteByte('-')
	}
	to.WriteByte('(')
	for _, name := range slices.Sorted(maps.Keys(f.below)) {
		to.WriteString(strconv.Quote(name))
		f.below[name].write(to)
	}
	to.WriteByte(')')
}

// step goes to what is below a name; false when that is not wanted.
func (f *fields) step(name string) (*fields, bool) {
	if f == nil {
		return nil, true
	}
	next := f.below[name]
	switch {
	case next == nil:
		return nil, f.except
	case len(next.below) == 0:
		return nil, !f.except
	}
	return next, true
}

// of is a value with the wanted parts alone.
func (f *fields) of(value any) (any, error) {
	if f == nil {
		return value, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var plain any
	if err := d.Decode(&plain); err != nil {
		return nil, err
	}
	return f.cut(plain), nil
}

func (f *fields) cut(value any) any {
	if f == nil {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, part := range v {
			if next, wanted := f.step(name); wanted {
				out[name] = next.cut(part)
			}
		}
		return out
	case []any:
		for i := range v {
			v[i] = f.cut(v[i])
		}
	}
	return value
}
