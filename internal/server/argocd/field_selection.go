package argocd

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What a selection of fields has at most: paths, and names in all of them.
const (
	maxFields = 200
	maxNames  = 1000
)

// fields select parts of an answer by their paths: those that are named, or,
// with a minus before the first, all but them. Nil is everything.
type fields struct {
	except bool
	below  map[string]*fields // none at the end of a path
	// whole tells that a path ends here: longer ones add nothing to it.
	whole bool
	// name is a digest, which is one for all selections of the same fields.
	name string
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
	if len(paths)+strings.Count(rest, ".") > maxNames {
		return nil, problemf(invalid, "fields has more than %d names", maxNames)
	}
	root := &fields{except: except, below: map[string]*fields{}}
	for _, path := range paths {
		root.add(path)
	}
	root.sum()
	return root, nil
}

// add adds what is at a path.
func (f *fields) add(path string) {
	for name := range strings.SplitSeq(path, ".") {
		if f.whole {
			return
		}
		if f.below[name] == nil {
			f.below[name] = &fields{except: f.except, below: map[string]*fields{}}
		}
		f = f.below[name]
	}
	f.whole = true
	clear(f.below)
}

// sum gives a selection, and each part of it, its name: once a request, as it is
// asked for with each Application.
func (f *fields) sum() {
	of := sha256.New()
	fmt.Fprint(of, f.except)
	for _, name := range slices.Sorted(maps.Keys(f.below)) {
		below := f.below[name]
		below.sum()
		fmt.Fprintf(of, "%q%s", name, below.name)
	}
	f.name = string(of.Sum(nil))
}

// named is its name; empty for everything.
func (f *fields) named() string {
	if f == nil {
		return ""
	}
	return f.name
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
