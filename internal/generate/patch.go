package generate

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
)

// patch is a strategic merge patch of Applications.
type patch struct {
	text string
	json []byte
	// fields are those of the spec that it can change, by index; all when whole.
	fields []int
	whole  bool
	// added is the patch itself as an Application, if it only sets fields of
	// the spec: where these are empty there is nothing to merge with.
	added *v1alpha1.Application
	// bytes is what a copy of added takes.
	bytes int
}

// patches reads each text once: clusters often share one.
type patches struct {
	known kept[*patch]
	// held is told of what they make.
	held *account
	// mark is in no text of a parameter; empty where the patch names none of the engine's
	// own annotations.
	mark string
	own  kept[ownWords]
	// warned are those of which it was told that they do not count.
	warned map[string]bool
}

func (k *patches) read(text string) (*patch, error) {
	if p, ok := k.known.texts[text]; ok {
		return p, nil
	}
	var p *patch
	err := k.held.parse([]byte(text), func() (err error) {
		p, err = readPatch(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	k.known.keep(text, p, perText+perPatch*len(text))
	return p, nil
}

// perPatch is what a byte of a patch takes of memory: in the text, as JSON and
// as an Application.
const perPatch = 8

// apply lays a patch over an Application.
func (k *patches) apply(p *patch, app *v1alpha1.Application) (*v1alpha1.Application, error) {
	if p.added != nil && p.meetsNothing(&app.Spec) {
		if err := k.held.take(p.bytes); err != nil {
			return nil, err
		}
		return p.apply(app)
	}
	var out *v1alpha1.Application
	err := k.held.while(perMerged*(weightOf(&app.Spec)+len(p.json)), func() (err error) {
		out, err = p.apply(app)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, k.held.take(len(p.json) + weightOf(out))
}

// perMerged is what a byte takes while two objects are merged.
const perMerged = 16

// patchJSON is a patch as JSON. Of several documents it is the first, and of equal keys the last.
func patchJSON(text string) ([]byte, error) {
	out := []byte(text)
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		out, err := bounded.ToJSON(out)
		if err != nil {
			return nil, errorf("cannot parse %s as YAML: %w", excerpt(text), err)
		}
		return out, nil
	}
	if bounded.Values(out) > bounded.MostValues || bounded.MayBeDeeper(out, bounded.MostDepth) {
		return nil, errorf("cannot parse %s: it has more than %d values, or more than %d in one another", excerpt(text), bounded.MostValues, bounded.MostDepth)
	}
	return out, nil
}

func readPatch(text string) (*patch, error) {
	p := &patch{text: text}
	var err error
	if p.json, err = patchJSON(text); err != nil {
		return nil, err
	}
	content := &patchable{}
	if err := json.Unmarshal(p.json, content); err != nil {
		return nil, errorf("%s is no part of an Application: %w", excerpt(text), err)
	}
	p.scope()
	if !p.whole && reflect.ValueOf(content.Metadata).IsZero() && content.Operation == nil && p.onlySets() {
		p.added = &v1alpha1.Application{Spec: content.Spec}
		p.bytes = weightOf(p.added)
	}
	return p, nil
}

// patchable is what of an Application a patch may change. All else is not even read: a
// few bytes of a status become a hundred times as many.
type patchable struct {
	Metadata  v1alpha1.ApplicationSetTemplateMeta `json:"metadata"`
	Spec      v1alpha1.ApplicationSpec            `json:"spec"`
	Operation *v1alpha1.Operation                 `json:"operation"`
}

// onlySets reports whether the patch certainly deletes nothing and holds no
// directives.
func (p *patch) onlySets() bool {
	return !bytes.Contains(p.json, []byte("null")) && !bytes.Contains(p.json, []byte(`"$`)) && !bytes.Contains(p.json, []byte(`"metadata"`))
}

// meetsNothing reports whether the fields that the patch is about are empty.
func (p *patch) meetsNothing(spec *v1alpha1.ApplicationSpec) bool {
	v := reflect.ValueOf(spec).Elem()
	return !slices.ContainsFunc(p.fields, func(i int) bool { return !v.Field(i).IsZero() })
}

var specType = reflect.TypeFor[v1alpha1.ApplicationSpec]()

// scope finds the fields of the spec that the patch names: only these need to
// be written as JSON to be merged. Directives, which start with a dollar, may
// say something of the others.
func (p *patch) scope() {
	var parts map[string]json.RawMessage
	if json.Unmarshal(p.json, &parts) != nil {
		p.whole = true
		return
	}
	for key, text := range parts {
		var spec map[string]json.RawMessage
		switch {
		case strings.HasPrefix(key, "$"):
			p.whole = true
		case !strings.EqualFold(key, "spec"):
			continue
		case json.Unmarshal(text, &spec) != nil || spec == nil:
			p.whole = true
		}
		for name := range spec {
			p.whole = p.whole || strings.HasPrefix(name, "$")
			p.fields = append(p.fields, specFields(name)...)
		}
	}
}

// specFields are the fields that a key means: JSON does not tell upper from lower case.
func specFields(key string) []int {
	var out []int
	for i := range specType.NumField() {
		if strings.EqualFold(fieldName(specType.Field(i)), key) {
			out = append(out, i)
		}
	}
	return out
}

// apply lays the patch over an Application. Only name, labels, annotations,
// finalizers, spec and operation count, and not the project: a patch must not
// move an Application to another one.
func (p *patch) apply(app *v1alpha1.Application) (*v1alpha1.Application, error) {
	if p.added != nil && p.meetsNothing(&app.Spec) {
		project := app.Spec.Project
		p.copySpec(&app.Spec, p.added.Spec.DeepCopy())
		app.Spec.Project = project
		return app, nil
	}
	part := &v1alpha1.Application{TypeMeta: app.TypeMeta, ObjectMeta: app.ObjectMeta}
	p.copySpec(&part.Spec, &app.Spec)
	original, err := json.Marshal(part)
	if err != nil {
		return nil, errorf("cannot write Application %s: %w", app.Name, err)
	}
	merged, err := merge(original, p.json)
	if err != nil {
		return nil, errorf("cannot apply %s: %w", excerpt(p.text), err)
	}
	result := &patchable{}
	if err := json.Unmarshal(merged, result); err != nil {
		return nil, errorf("cannot read the patched Application %s: %w", app.Name, err)
	}
	out := newApplication(app.Namespace, &v1alpha1.ApplicationSetTemplate{
		ApplicationSetTemplateMeta: v1alpha1.ApplicationSetTemplateMeta{
			Name: result.Metadata.Name, Labels: result.Metadata.Labels, Annotations: result.Metadata.Annotations, Finalizers: result.Metadata.Finalizers,
		},
		Spec: app.Spec,
	})
	p.copySpec(&out.Spec, &result.Spec)
	out.Spec.Project = app.Spec.Project
	out.Operation = result.Operation
	return out, nil
}

// merge is Kubernetes' own, which panics at directives about lists that have
// no merge key.
func merge(original, patch []byte) (merged []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errorf("its directives do not fit: %v", r)
		}
	}()
	return strategicpatch.StrategicMergePatch(original, patch, v1alpha1.Application{})
}

// copySpec copies the fields that the patch is about.
func (p *patch) copySpec(to, from *v1alpha1.ApplicationSpec) {
	if p.whole {
		*to = *from
		return
	}
	a, b := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	for _, i := range p.fields {
		a.Field(i).Set(b.Field(i))
	}
}
