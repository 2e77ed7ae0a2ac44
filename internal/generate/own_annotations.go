package generate

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// textKey is what may be a key in a text of YAML or JSON.
var textKey = regexp.MustCompile(`[\w./-]+`)

// markSize is how much of a mark makes it one that nobody guesses.
const markSize = 16

// markOf is a new mark for a patch, empty for one that names none of the engine's own annotations.
func markOf(patch string) string {
	if firstOwn(patch) == "" {
		return ""
	}
	return rand.Text()[:markSize]
}

// firstOwn is the first of the engine's own annotations that a text names.
func firstOwn(text string) string {
	for _, word := range textKey.FindAllString(text, -1) {
		if gitops.OwnAnnotation(word) {
			return word
		}
	}
	return ""
}

// marked has a mark on both sides of the own annotations that a text names.
func (k *patches) marked(text string) string {
	if firstOwn(text) == "" {
		return text
	}
	return textKey.ReplaceAllStringFunc(text, func(word string) string {
		if gitops.OwnAnnotation(word) {
			return k.mark + word + k.mark
		}
		return word
	})
}

// ownWords are what a rendered patch says of the engine's own annotations that stand in it
// outside of actions: nil where it takes one away.
type ownWords struct {
	values map[string]any
	// refused tells that what a parameter brought into the patch may have changed them.
	refused *gitops.Problem
}

// ownOf reads them. Signs in a text that nothing quotes may move a key elsewhere, or end what it
// stands in. So they have to be the same where all that actions gave has no such signs.
func (k *patches) ownOf(text string, f fencedText) (ownWords, error) {
	if own, ok := k.own.texts[text]; ok {
		return own, nil
	}
	first := firstOwn(strings.Join(f.literals, " "))
	if first == "" {
		return ownWords{}, nil
	}
	values, err := k.annotations(text, f, output.same)
	if err != nil {
		return ownWords{}, err
	}
	without := values
	if slices.ContainsFunc(f.outputs, output.hasSigns) {
		if without, err = k.annotations(text, f, output.neutral); err != nil {
			return ownWords{}, err
		}
	}
	own := ownWords{values: values}
	if values == nil || without == nil {
		own = unquoted(first)
	} else if key := differing(values, without); key != "" {
		own = unquoted(key)
	}
	k.own.keep(text, own, perText+2*len(text)) //nolint:mnd // the text, and as much in values
	return own, nil
}

func unquoted(key string) ownWords {
	return ownWords{refused: problemf(gitops.Invalid, "templatePatch: a parameter that is not quoted may change the annotation %s", word(key)).
		Do("quote the parameters in the patch, as with {{ .note | toJson }} and goTemplate: true, or write the annotation into the template")}
}

// annotations are those of a patch, with something in the places of what actions gave; nil where
// they cannot be read.
func (k *patches) annotations(text string, f fencedText, given func(output) string) (own map[string]any, err error) {
	err = k.held.parse([]byte(text), func() error {
		own = annotationsOf(f.join(k.marked, given), k.mark)
		return nil
	})
	return own, err
}

// annotationsOf are those of the annotations in a patch whose keys are marked; nil where they
// cannot be read.
func annotationsOf(text, mark string) map[string]any {
	annotations, err := annotationsIn(text)
	if err != nil {
		return nil
	}
	own := map[string]any{}
	for key, value := range annotations {
		key, begins := strings.CutPrefix(key, mark)
		key, ends := strings.CutSuffix(key, mark)
		if !begins || !ends {
			continue
		}
		if text, is := value.(string); is {
			value = strings.ReplaceAll(text, mark, "")
		} else if value != nil {
			return nil
		}
		own[key] = value
	}
	return own
}

// annotationsPath is where annotations stand.
var annotationsPath = []string{"metadata", "annotations"}

// annotationsIn are all that a patch has. They are read as they are applied: by exact names.
func annotationsIn(text string) (map[string]any, error) {
	raw, err := patchJSON(text)
	if err == nil && !json.Valid(raw) { // it only begins as JSON does
		raw, err = bounded.ToJSON(raw)
	}
	for _, key := range annotationsPath {
		var content map[string]json.RawMessage
		if err == nil && raw != nil {
			err = json.Unmarshal(raw, &content)
		}
		raw = content[key]
	}
	var out map[string]any
	if err == nil && raw != nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

// differing is the first key that two patches, of which the second is neutral, say different
// things of.
func differing(a, b map[string]any) string {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		value, has := b[key]
		text, is := a[key].(string)
		other, isToo := value.(string)
		if !has || is != isToo || text != other && !isNeutralOf(other, text) {
			return key
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, has := a[key]; !has {
			return key
		}
	}
	return ""
}

// mostWarned are the annotations of a set that are warned of.
const mostWarned = 10

// keepOwn has the engine's own annotations be those of the template, and what the patch says
// of the keys that stand in it: a text within it becomes more keys where nothing quotes it,
// and would switch off the guard, or look at what others have.
func (r *run) keepOwn(own map[string]any, before map[string]string, app *v1alpha1.Application) {
	want := map[string]string{}
	for key, value := range before {
		if gitops.OwnAnnotation(key) {
			want[key] = value
		}
	}
	for key, value := range own {
		if text, is := value.(string); is {
			want[key] = text
		} else {
			delete(want, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(app.Annotations)) {
		if _, wanted := want[key]; !wanted && gitops.OwnAnnotation(key) {
			delete(app.Annotations, key)
			r.warnOwn(key, app.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if has, is := app.Annotations[key]; is && has == want[key] {
			continue
		}
		if app.Annotations == nil {
			app.Annotations = map[string]string{}
		}
		app.Annotations[key] = want[key]
		r.warnOwn(key, app.Name)
	}
}

// warnOwn warns of an annotation once, however many Applications have it.
func (r *run) warnOwn(key, name string) {
	if r.patches.warned[key] || len(r.patches.warned) >= mostWarned {
		return
	}
	if r.patches.warned == nil {
		r.patches.warned = map[string]bool{}
	}
	r.patches.warned[key] = true
	r.warnf("AnnotationOfAParameter", "templatePatch: the annotation %s of Application %s is left as the template has it, as only a parameter says otherwise; "+
		"write its key into templatePatch, outside of {{ }}, if it is to count", excerpt(key), excerpt(name))
}
