package generate

import (
	"reflect"
	"strings"
)

// perItem is what an item of a list costs: it is there to be looped over.
const perItem = 40

// costs tell how large the result of a call will be, for functions whose
// result may be far larger than what they are given.
var costs = map[string]func(args []reflect.Value) float64{
	"repeat":    func(a []reflect.Value) float64 { return number(a[0]) * size(a[1]) },
	"until":     func(a []reflect.Value) float64 { return perItem * max(number(a[0]), -number(a[0])) },
	"untilStep": func(a []reflect.Value) float64 { return steps(number(a[0]), number(a[1]), number(a[2])) },
	"seq":       sequence,
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
	return perItem * (to - from) / by
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
		return perItem * max(number(ends.Index(0)), -number(ends.Index(0)))
	case 2:
		span := number(ends.Index(1)) - number(ends.Index(0))
		return perItem * max(span, -span)
	case 3:
		return steps(number(ends.Index(0)), number(ends.Index(2)), number(ends.Index(1)))
	default:
		return 0
	}
}

var (
	errTooLarge = plain("the result is too large")
	errTooDeep  = plain("the value is nested too deeply, or contains itself")
)

// shallow functions do not look into the maps and lists that they are given.
var shallow = func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(`append coalesce default dict dig empty first get hasKey initial keys
		kindOf last list mustAppend mustFirst mustInitial mustLast mustPrepend mustPush mustRest omit pick pluck
		prepend push rest set ternary tuple typeOf unset`) {
		out[name] = true
	}
	return out
}()

// guarded bounds a function: what it is given must end, and neither what it
// will cost nor its result may be above the limit, and each result is counted.
// So a text that doubles itself in a loop, a list of long texts, or a map that
// contains itself, ends before memory does.
func guarded(name string, f any, limit int, made func(bytes int) error) any {
	cost := costs[name]
	deep := !shallow[name]
	return wrap(f, func(call func() []reflect.Value, args []reflect.Value) ([]reflect.Value, error) {
		if deep && !allEnd(args) {
			return nil, errTooDeep
		}
		if cost != nil && cost(args) > float64(limit) {
			return nil, errTooLarge
		}
		out := call()
		long := length(out[0])
		if long > limit {
			return nil, errTooLarge
		}
		return out, made(long)
	})
}

// printable ends every action of a template: printing follows a value to its end.
func printable(value any) (any, error) {
	if !allEnd([]reflect.Value{reflect.ValueOf(value)}) {
		return nil, errTooDeep
	}
	return value, nil
}

// allEnd reports whether values are trees of bearable size. One that contains
// itself is not.
func allEnd(values []reflect.Value) bool {
	const nodes, depth = 1_000_000, 1_000
	left := nodes
	for _, v := range values {
		if !ends(v, depth, &left) {
			return false
		}
	}
	return true
}

func ends(v reflect.Value, depth int, left *int) bool {
	*left--
	if depth == 0 || *left < 0 {
		return false
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return v.IsNil() || ends(v.Elem(), depth-1, left)
	case reflect.Map:
		if simple(v.Type().Elem()) {
			return true
		}
		for items := v.MapRange(); items.Next(); {
			if !ends(items.Value(), depth-1, left) {
				return false
			}
		}
	case reflect.Slice:
		if simple(v.Type().Elem()) {
			return true
		}
		for i := range v.Len() {
			if !ends(v.Index(i), depth-1, left) {
				return false
			}
		}
	default: // holds no further value
	}
	return true
}

func simple(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice, reflect.Struct, reflect.Array:
		return false
	default:
		return true
	}
}

// length of a text in bytes; a list or map counts what its items take at least.
func length(v reflect.Value) int {
	const item = 16
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Slice, reflect.Map:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Len()
		}
		return item * v.Len()
	default:
		return 0
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
