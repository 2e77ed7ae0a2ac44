package bridge

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/treediff"
)

// mostFields bounds what is listed of one difference, and mostPaths their paths, in
// bytes: they are kept for all objects of an application.
const (
	mostFields = 256
	mostPaths  = 32 << 10
	// mostAllPaths is for the paths of all objects of an application.
	mostAllPaths = 1 << 20
)

// rest is the path of what stands for fields that are not listed.
const rest = "…"

// FieldChange is one field that differs.
type FieldChange struct {
	// Path as in spec.template.spec.containers[0].image.
	Path string `json:"path"`
	// Before and After are the values; nil where there is none.
	Before any `json:"before"`
	After  any `json:"after,omitempty"`
}

// treeOf is an object as JSON has it.
func treeOf(object any) any {
	text, err := json.Marshal(object)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}

// differing collects the leaves in which two trees differ, up to a bound.
type differing struct {
	found []FieldChange
	paths int // bytes
}

// differences lists the leaves in which two trees differ, in their order.
func differences(a, b any) []FieldChange {
	var d differing
	treediff.Walk[string](&d, "", a, b)
	return d.found
}

// differencesWith are the differences of which those are listed that decide, too,
// whatever else differs: for each of some questions the first that answers it.
func differencesWith(a, b any, questions ...func(path string) bool) []FieldChange {
	var d differing
	if treediff.Walk[string](&d, "", a, b) {
		return d.found
	}
	w := wanting{open: slices.DeleteFunc(questions, func(answers func(string) bool) bool {
		return slices.ContainsFunc(d.found, func(c FieldChange) bool { return answers(c.Path) })
	})}
	treediff.Walk[string](&w, "", a, b)
	return append(d.found, w.found...)
}

// wanting looks for fields that answer what is still open.
type wanting struct {
	differing

	open []func(path string) bool
}

// Leaf implements treediff.Rules.
func (w *wanting) Leaf(path string, a, b any) bool {
	left := slices.DeleteFunc(w.open, func(answers func(string) bool) bool { return answers(path) && !reflect.DeepEqual(a, b) })
	if len(left) < len(w.open) {
		w.found = append(w.found, FieldChange{Path: path, Before: a, After: b})
	}
	w.open = left
	return len(w.open) > 0
}

// pathsOf is how many bytes the paths of fields have.
func pathsOf(fields []FieldChange) int {
	paths := 0
	for i := range fields {
		paths += len(fields[i].Path)
	}
	return paths
}

// Whole implements treediff.Rules.
func (*differing) Whole(string) bool { return false }

// Field implements treediff.Rules.
func (*differing) Field(path, key string, _, _ map[string]any) string { return below(path, key) }

// Items implements treediff.Rules: lists of the same length are compared by places.
func (*differing) Items(path string, a, b []any) ([]treediff.Pair[string], bool) {
	if len(a) != len(b) {
		return nil, false
	}
	out := make([]treediff.Pair[string], len(a))
	for i := range a {
		out[i] = treediff.Pair[string]{At: treediff.Join(path, "["+strconv.Itoa(i)+"]"), A: a[i], B: b[i]}
	}
	return out, true
}

// Leaf implements treediff.Rules.
func (d *differing) Leaf(path string, a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			if m, n, ok := bothYAML(x, y); ok {
				had := len(d.found)
				if goesOn := treediff.Walk[string](d, treediff.Join(path, " →"), m, n); !goesOn || len(d.found) > had {
					return goesOn
				}
				// Their comments differ, or how they are written: the texts do.
			}
		}
	}
	d.found = append(d.found, FieldChange{Path: path, Before: a, After: b})
	d.paths += len(path)
	return len(d.found) < mostFields && d.paths < mostPaths
}

// below writes a path; a key that holds dots is quoted.
func below(path, key string) string {
	key = treediff.Step(key)
	switch {
	case strings.ContainsAny(key, ".[]\" "):
		return treediff.Join(path, "["+strconv.Quote(key)+"]")
	case path == "":
		return key
	case strings.HasSuffix(path, "→"):
		return treediff.Join(path, " "+key)
	}
	return treediff.Join(path, "."+key)
}

// bothYAML reads two texts that hold maps, such as helm.values, so that the
// differing value within is named, and not the whole text.
func bothYAML(a, b string) (x, y map[string]any, ok bool) {
	if !strings.Contains(a, ":") || !strings.Contains(b, ":") || !strings.Contains(a+b, "\n") {
		return nil, nil, false
	}
	ok = bounded.Unmarshal([]byte(a), &x) == nil && bounded.Unmarshal([]byte(b), &y) == nil && len(x) > 0 && len(y) > 0
	return x, y, ok
}

// fieldsWith lists the fields of a set that ask for a key.
func fieldsWith(set *v1alpha1.ApplicationSet, k Key) []string {
	var out []string
	visit("spec", treeOf(set.Spec), func(path, text string) {
		if len(out) < mostPlaces && asksFor(path, text, k) && !slices.Contains(out, path) {
			out = append(out, path)
		}
	})
	return out
}

// asksFor reports whether a text of a set asks for a key: by its whole path, or, in a
// template or a selector, by what is left of that.
func asksFor(path, text string, k Key) bool {
	if slices.ContainsFunc(strings.FieldsFunc(text, betweenNames), func(word string) bool { return strings.HasSuffix("."+word, "."+k.Parameter()) }) {
		return true
	}
	if !strings.Contains(path, "elector.") {
		text = strings.Join(action.FindAllString(text, -1), " ")
	}
	return slices.ContainsFunc(strings.FieldsFunc(text, betweenNames), func(word string) bool { return leads(word, k) })
}

// action is what is filled in of a template.
var action = regexp.MustCompile(`(?s)\{\{.*?\}\}`)

// betweenNames is what stands in no name of a key, nor in a path or a variable that leads to one.
func betweenNames(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./$", r)
}

// leads reports whether a word is the name of a key, as in index .metadata.labels "team", or
// leads to it where with or a variable holds what is before it. A key that has another's name
// in it is another one.
func leads(word string, k Key) bool {
	word = strings.TrimPrefix(word, ".")
	if variable, rest, ok := strings.Cut(word, "."); ok && strings.HasPrefix(variable, "$") {
		word = rest
	}
	return word == k.Name || word == strings.TrimPrefix(k.Parameter(), "metadata.")
}

// mostPlaces bounds how many fields of a set are named for one key.
const mostPlaces = 3

func visit(path string, value any, found func(path, text string)) {
	switch v := value.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			found(below(path, k), k)
			visit(below(path, k), v[k], found)
		}
	case []any:
		for i, inner := range v {
			visit(treediff.Join(path, fmt.Sprintf("[%d]", i)), inner, found)
		}
	case string:
		found(path, v)
	}
}
