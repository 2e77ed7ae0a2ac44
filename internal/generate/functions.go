package generate

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

// functions are what Go templates may call: sprig's, without those that tell
// about the engine's own environment, and Argo CD's additions.
func functions(limit int) template.FuncMap {
	all := template.FuncMap{}
	maps.Copy(all, sprig.GenericFuncMap())
	for _, name := range []string{"env", "expandenv", "getHostByName"} {
		delete(all, name)
	}
	maps.Copy(all, template.FuncMap{
		"normalize": normalize, "slugify": slugify,
		"toYaml": toYAML, "fromYaml": fromYAML, "fromYamlArray": fromYAMLArray,
		"print": fmt.Sprint, "println": fmt.Sprintln, "printf": fmt.Sprintf,
	})
	for name, f := range all {
		all[name] = bounded(f, limit)
	}
	for name, cost := range costs {
		all[name] = guarded(all[name], cost, limit)
	}
	return all
}

// costs tell how large the result of a call will be, for functions whose
// result may be far larger than what they are given.
var costs = map[string]func(args []reflect.Value) float64{
	"repeat":    func(a []reflect.Value) float64 { return number(a[0]) * size(a[1]) },
	"until":     func(a []reflect.Value) float64 { return 8 * max(number(a[0]), -number(a[0])) },
	"untilStep": func(a []reflect.Value) float64 { return steps(number(a[0]), number(a[1]), number(a[2])) },
	"seq":       func(a []reflect.Value) float64 { return sequence(a) },
	"indent":    func(a []reflect.Value) float64 { return number(a[0]) * lines(a[1]) },
	"nindent":   func(a []reflect.Value) float64 { return number(a[0]) * lines(a[1]) },
	"replace": func(a []reflect.Value) float64 {
		return float64(strings.Count(a[2].String(), a[0].String())) * size(a[1])
	},
	"randAlphaNum": func(a []reflect.Value) float64 { return number(a[0]) },
	"randAlpha":    func(a []reflect.Value) float64 { return number(a[0]) },
	"randAscii":    func(a []reflect.Value) float64 { return number(a[0]) },
	"randNumeric":  func(a []reflect.Value) float64 { return number(a[0]) },
	"randBytes":    func(a []reflect.Value) float64 { return number(a[0]) },
}

func number(v reflect.Value) float64 {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	default:
		return 0
	}
}

func size(v reflect.Value) float64 { return float64(len(v.String())) }

func lines(v reflect.Value) float64 { return float64(1 + strings.Count(v.String(), "\n")) }

func steps(from, to, by float64) float64 {
	if by == 0 {
		return 0
	}
	return 8 * (to - from) / by
}

// sequence is the cost of seq, which is called with end, start and end, or
// start, step and end.
func sequence(args []reflect.Value) float64 {
	if len(args) != 1 {
		return 0
	}
	ends := args[0] // a variadic call hands over one slice
	switch ends.Len() {
	case 1:
		return 8 * max(number(ends.Index(0)), -number(ends.Index(0)))
	case 2:
		span := number(ends.Index(1)) - number(ends.Index(0))
		return 8 * max(span, -span)
	case 3:
		return steps(number(ends.Index(0)), number(ends.Index(2)), number(ends.Index(1)))
	default:
		return 0
	}
}

var errTooLarge = errors.New("the result is too large")

// bounded refuses results above the limit, so that a text that doubles itself
// ends before memory does.
func bounded(f any, limit int) any {
	return wrap(f, func(call func() []reflect.Value, _ []reflect.Value) ([]reflect.Value, error) {
		out := call()
		if len(out) > 0 && tooLarge(out[0], limit) {
			return nil, errTooLarge
		}
		return out, nil
	})
}

// guarded refuses a call that would be too costly before it is made.
func guarded(f any, cost func([]reflect.Value) float64, limit int) any {
	if f == nil {
		return nil
	}
	return wrap(f, func(call func() []reflect.Value, args []reflect.Value) ([]reflect.Value, error) {
		if cost(args) > float64(limit) {
			return nil, errTooLarge
		}
		return call(), nil
	})
}

func tooLarge(v reflect.Value, limit int) bool {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len() > limit
	default:
		return false
	}
}

var errorType = reflect.TypeFor[error]()

// wrap puts a function around another one, of the same type but for an error
// that it always returns besides.
func wrap(f any, around func(call func() []reflect.Value, args []reflect.Value) ([]reflect.Value, error)) any {
	inner := reflect.ValueOf(f)
	t := inner.Type()
	in := make([]reflect.Type, t.NumIn())
	for i := range in {
		in[i] = t.In(i)
	}
	result := t.Out(0)
	outer := reflect.FuncOf(in, []reflect.Type{result, errorType}, t.IsVariadic())
	return reflect.MakeFunc(outer, func(args []reflect.Value) []reflect.Value {
		out, err := around(func() []reflect.Value {
			if t.IsVariadic() {
				return inner.CallSlice(args)
			}
			return inner.Call(args)
		}, args)
		if err != nil {
			return []reflect.Value{reflect.Zero(result), reflect.ValueOf(&err).Elem()}
		}
		if len(out) == 1 {
			out = append(out, reflect.Zero(errorType))
		}
		return out
	}).Interface()
}

var notInName = regexp.MustCompile(`[^-a-z0-9.]`)

// normalize makes a DNS name of a text: lower case, anything else becomes a
// dash, at most 253 characters, no dash or dot at the ends.
func normalize(text string) string {
	const longest = 253
	text = notInName.ReplaceAllString(strings.ToLower(text), "-")
	if len(text) > longest {
		text = text[:longest]
	}
	return strings.Trim(text, "-.")
}

var (
	notInSlug  = regexp.MustCompile(`[^a-z0-9-_]`)
	manyDashes = regexp.MustCompile(`-+`)
)

// slugify makes a short name of its last argument. Before it may stand the
// longest length (default 50) and whether to cut at a dash (default true).
func slugify(args ...any) (string, error) {
	length, atDash := 50, true
	if len(args) == 0 || len(args) > 3 {
		return "", fmt.Errorf("slugify takes 1 to 3 arguments, not %d", len(args))
	}
	text, ok := args[len(args)-1].(string)
	if !ok {
		return "", fmt.Errorf("slugify needs a text, not %T", args[len(args)-1])
	}
	if len(args) > 1 {
		if length, ok = args[0].(int); !ok {
			return "", fmt.Errorf("slugify needs a whole number as length, not %T", args[0])
		}
	}
	if len(args) > 2 {
		if atDash, ok = args[1].(bool); !ok {
			return "", fmt.Errorf("slugify needs true or false as second argument, not %T", args[1])
		}
	}
	slug := manyDashes.ReplaceAllString(notInSlug.ReplaceAllString(normalize(text), "-"), "-")
	return cutSlug(strings.Trim(slug, "-_"), length, atDash), nil
}

func cutSlug(slug string, length int, atDash bool) string {
	if length <= 0 || len(slug) <= length {
		return slug
	}
	if !atDash {
		return slug[:length]
	}
	// A dash right after the cut means that whole words fit.
	if i := strings.LastIndexByte(slug[:length+1], '-'); i > 0 {
		return slug[:i]
	}
	return slug[:length]
}

func toYAML(value any) (string, error) {
	text, err := yaml.Marshal(value)
	return strings.TrimSuffix(string(text), "\n"), err
}

func fromYAML(text string) (map[string]any, error) {
	out := map[string]any{}
	err := yaml.Unmarshal([]byte(text), &out)
	return out, err
}

func fromYAMLArray(text string) ([]any, error) {
	out := []any{}
	err := yaml.Unmarshal([]byte(text), &out)
	return out, err
}
