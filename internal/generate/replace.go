package generate

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// replacer renders every text in a value, map keys too, and gives a copy.
type replacer struct {
	texts renderer
	// strict pre-renders the values of generators.
	strict renderer
	// plain has the final form of JSON that holds no template.
	plain map[string][]byte
	// parsed has the content of JSON that does.
	parsed map[string]any
	// kept is what both take; held counts what copies take.
	kept int
	held *account
}

func newReplacer(texts, strict renderer, held *account) *replacer {
	return &replacer{texts: texts, strict: strict, plain: map[string][]byte{}, parsed: map[string]any{}, held: held}
}

// text renders one text. One that stays as it is stays one.
func (r *replacer) text(text string, p Params) (string, error) {
	out, err := r.texts.render(text, p)
	if err != nil || out == text {
		return text, err
	}
	return out, r.held.take(len(out))
}

// template renders an Application's template.
func (r *replacer) template(t *v1alpha1.ApplicationSetTemplate, p Params) (*v1alpha1.ApplicationSetTemplate, error) {
	out := &v1alpha1.ApplicationSetTemplate{}
	err := r.value(reflect.ValueOf(out).Elem(), reflect.ValueOf(t).Elem(), p)
	return out, err
}

// generator renders a generator with the parameters of another one.
func (r *replacer) generator(g *v1alpha1.ApplicationSetGenerator, p Params) (*v1alpha1.ApplicationSetGenerator, error) {
	out := &v1alpha1.ApplicationSetGenerator{}
	err := r.value(reflect.ValueOf(out).Elem(), reflect.ValueOf(g).Elem(), p)
	return out, err
}

var (
	jsonType   = reflect.TypeFor[apiextensionsv1.JSON]()
	objectType = reflect.TypeFor[runtime.RawExtension]()
	valuesType = reflect.TypeFor[map[string]string]()
)

func (r *replacer) value(to, from reflect.Value, p Params) error {
	switch from.Kind() {
	case reflect.String:
		text, err := r.text(from.String(), p)
		to.SetString(text)
		return err
	case reflect.Pointer:
		if from.IsNil() {
			return nil
		}
		if err := r.held.take(sizeOf(from.Type().Elem())); err != nil {
			return err
		}
		to.Set(reflect.New(from.Type().Elem()))
		return r.value(to.Elem(), from.Elem(), p)
	case reflect.Struct:
		return r.structure(to, from, p)
	case reflect.Slice:
		return r.list(to, from, p)
	case reflect.Map:
		return r.mapping(to, from, p)
	default:
		to.Set(from)
		return nil
	}
}

func (r *replacer) structure(to, from reflect.Value, p Params) error {
	t := from.Type()
	if t == jsonType || t == objectType {
		raw, err := r.raw(from.FieldByName("Raw").Bytes(), p)
		to.FieldByName("Raw").SetBytes(raw)
		return err
	}
	for _, f := range fieldsOf(t) {
		source := from.Field(f.index)
		if source.IsZero() {
			continue // so is the copy
		}
		render := r.value
		if f.values {
			render = r.values
		}
		if err := render(to.Field(f.index), source, p); err != nil {
			return within(f.name, err)
		}
	}
	return nil
}

// member is what has to be known of a field of a struct.
type member struct {
	index  int
	name   string
	values bool
}

// structs has the fields of each type that was seen: looking them up by
// reflection takes longer than rendering them.
var structs sync.Map // of reflect.Type to []member

func fieldsOf(t reflect.Type) []member {
	if known, ok := structs.Load(t); ok {
		fields, _ := known.([]member)
		return fields
	}
	var out []member
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			out = append(out, member{index: i, name: fieldName(f), values: f.Name == "Values" && f.Type == valuesType})
		}
	}
	structs.Store(t, out)
	return out
}

// values pre-renders what a generator will render itself: one that lacks a
// parameter waits for that, as a whole, so that in the end only one of the two
// sees it.
func (r *replacer) values(to, from reflect.Value, p Params) error {
	if from.IsNil() {
		return nil
	}
	values, _ := from.Interface().(map[string]string)
	out := make(map[string]string, len(values))
	for k, v := range values {
		text, err := r.strict.render(v, p)
		if err != nil && !missingKey(err) {
			return within(k, err)
		}
		if err != nil {
			text = v
		}
		out[k] = text
		if err := r.held.take(len(text)); err != nil {
			return within(k, err)
		}
	}
	to.Set(reflect.ValueOf(out))
	return r.held.take(mapOf(len(out)))
}

func (r *replacer) list(to, from reflect.Value, p Params) error {
	if from.IsNil() {
		return nil
	}
	if err := r.held.take(from.Len() * sizeOf(from.Type().Elem())); err != nil {
		return err
	}
	to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
	for i := range from.Len() {
		if err := r.value(to.Index(i), from.Index(i), p); err != nil {
			return within(strconv.Itoa(i), err)
		}
	}
	return nil
}

func (r *replacer) mapping(to, from reflect.Value, p Params) error {
	if from.IsNil() {
		return nil
	}
	t := from.Type()
	if err := r.held.take(sized(from.Len(), sizeOf(t.Key())+sizeOf(t.Elem())+1)); err != nil {
		return err
	}
	to.Set(reflect.MakeMapWithSize(t, from.Len()))
	for _, key := range sortedKeys(from) {
		rendered := reflect.New(t.Elem()).Elem()
		if err := r.value(rendered, from.MapIndex(key), p); err != nil {
			return within(key.String(), err)
		}
		name, err := r.text(key.String(), p)
		if err != nil {
			return within(key.String(), err)
		}
		to.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), rendered)
	}
	return nil
}

func sizeOf(t reflect.Type) int { return int(t.Size()) }

// sortedKeys makes it certain which of two keys that render alike wins.
func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// raw renders free JSON. Numbers become floats, and null in a map is dropped,
// as when Argo CD does it.
func (r *replacer) raw(text []byte, p Params) ([]byte, error) {
	if len(text) == 0 {
		return nil, nil
	}
	source := string(text)
	if done, ok := r.plain[source]; ok {
		return slices.Clone(done), r.held.take(len(done))
	}
	content, err := r.content(source)
	if err != nil {
		return nil, err
	}
	before := r.held.held
	rendered, err := r.free(content, p)
	if err != nil {
		return nil, err
	}
	var out []byte
	err = r.held.while(perEscape*weigh(rendered), func() (err error) {
		out, err = json.Marshal(rendered)
		return err
	})
	if err != nil {
		return nil, errorf("cannot write JSON: %w", err)
	}
	r.held.held = before // what was rendered is written by now
	if !strings.Contains(source, "{{") {
		r.plain[source] = out
		r.kept += len(out)
	}
	return slices.Clone(out), r.held.take(len(out))
}

// perEscape is how many bytes JSON has at most for one of a text.
const perEscape = 6

// keptJSON bounds what is kept of JSON that was read.
const keptJSON = 4 << 20

// content reads JSON, each text once as long as there is room to keep it.
func (r *replacer) content(source string) (any, error) {
	if content, ok := r.parsed[source]; ok {
		return content, nil
	}
	var content any
	if err := json.Unmarshal([]byte(source), &content); err != nil {
		return nil, errorf("cannot read JSON: %w", err)
	}
	bytes := len(source) + weigh(content)
	if r.kept += bytes; r.kept > keptJSON {
		clear(r.plain)
		clear(r.parsed)
		r.kept = bytes
	}
	r.parsed[source] = content
	return content, nil
}

func (r *replacer) free(value any, p Params) (any, error) {
	switch v := value.(type) {
	case string:
		return r.text(v, p)
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			rendered, err := r.free(inner, p)
			if err != nil {
				return nil, within(strconv.Itoa(i), err)
			}
			out[i] = rendered
		}
		return out, nil
	case map[string]any:
		return r.freeMap(v, p)
	default:
		return value, nil
	}
}

func (r *replacer) freeMap(m map[string]any, p Params) (any, error) {
	out := make(map[string]any, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] == nil {
			continue
		}
		rendered, err := r.free(m[k], p)
		if err != nil {
			return nil, within(k, err)
		}
		name, err := r.text(k, p)
		if err != nil {
			return nil, within(k, err)
		}
		out[name] = rendered
	}
	return out, nil
}

// placed is an error with the path to the text that it is about.
type placed struct {
	path string
	err  error
}

func (e *placed) Error() string { return e.path + ": " + e.err.Error() }
func (e *placed) Unwrap() error { return e.err }

// within puts a path segment before the path of an error.
func within(segment string, err error) error {
	var inner *placed
	if !errors.As(err, &inner) {
		return &placed{path: segment, err: err}
	}
	if segment == "" {
		return inner
	}
	return &placed{path: segment + "." + inner.path, err: inner.err}
}

// fieldName is a field's name in YAML; empty for one that is inlined.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
