package generate

import (
	"maps"
	"regexp"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

var (
	// textKey is what may be a key in a text of YAML or JSON.
	textKey = regexp.MustCompile(`(?m)(?:^|[{},"'])\s*["']?([\w./-]+)["']?\s*:`)
	// textComment is what says nothing in one, nor in a template.
	textComment = regexp.MustCompile(`(?s:\{\{-?\s*/\*.*?\*/\s*-?\}\})|(?m:(?:^|\s)#.*$)`)
)

// ownKeys are the engine's own annotations that stand in a patch as keys before it is
// rendered.
func ownKeys(patch string) map[string]bool {
	out := map[string]bool{}
	for _, found := range textKey.FindAllStringSubmatch(textComment.ReplaceAllString(patch, " "), -1) {
		if gitops.OwnAnnotation(found[1]) {
			out[found[1]] = true
		}
	}
	return out
}

// annotationsOf are what a rendered patch says of such keys, nil where it takes one away.
// One that has a key twice says nothing of them: the second may be a parameter's.
func annotationsOf(text string, keys map[string]bool) map[string]any {
	var content map[string]any
	if bounded.UnmarshalStrict([]byte(text), &content) != nil {
		return nil
	}
	metadata, _ := content["metadata"].(map[string]any)
	out, _ := metadata["annotations"].(map[string]any)
	maps.DeleteFunc(out, func(key string, _ any) bool { return !keys[key] })
	return out
}

// mostWarned are the annotations of a set that are warned of.
const mostWarned = 10

// keepOwn has the engine's own annotations be those of the template, and what the patch says
// of the keys that stand in it: a text within it becomes more keys where nothing quotes it,
// and would switch off the guard, or look at what others have.
func (r *run) keepOwn(p *patch, before map[string]string, app *v1alpha1.Application) {
	want := map[string]string{}
	for key, value := range before {
		if gitops.OwnAnnotation(key) {
			want[key] = value
		}
	}
	for key, value := range p.own {
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
		"write its key into templatePatch, once, if it is to count", excerpt(key), excerpt(name))
}
