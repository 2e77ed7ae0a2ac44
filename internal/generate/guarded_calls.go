package generate

import (
	"reflect"
	"slices"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

var (
	errTooLarge = plain("the result is too large")
	errTooDeep  = plain("the value is nested too deeply, or contains itself")
	errKeys     = plain("it makes too many keys, certificates or hashes of passwords")
)

// counter is told of each call of a function, and may end the text.
type counter interface {
	// call is before each call, and key before one that makes a key.
	call() error
	key() error
	// make takes up what a function made.
	make(bytes int) error
}

// guarded bounds a function: what it is given must end, and neither what it
// will cost nor its result may be above the limit, and each call and result is
// counted. So a text that doubles itself in a loop, a list that repeats a long
// text, or a map that contains itself, ends before memory does.
func guarded(name string, f any, limit int, count counter) any {
	bound, ok := bounds[name]
	if !ok {
		bound = printing
	}
	makesKeys := slices.Contains(bounded.MakeKeys, name)
	return wrap(f, func(call func() []reflect.Value, args []reflect.Value) ([]reflect.Value, error) {
		if err := count.call(); err != nil {
			return nil, err
		}
		keeps, err := bound(limit, args)
		if err != nil {
			return nil, err
		}
		if makesKeys {
			if err := count.key(); err != nil {
				return nil, err
			}
		}
		out := call()
		long := length(out[0])
		if long > limit {
			return nil, errTooLarge
		}
		return out, count.make(max(long, keeps))
	})
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
