package engine

import (
	"reflect"
	"text/template"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// costly counts each call of what makes keys. Their types are the library's own, so it
// is done by reflection: beside their work that is nothing.
func (s *state) costly() template.FuncMap {
	out := make(template.FuncMap, len(bounded.MakeKeys))
	for _, name := range bounded.MakeKeys {
		out[name] = s.counted(reflect.ValueOf(library()[name]))
	}
	return out
}

var errorType = reflect.TypeFor[error]()

// counted adds an error to what a function returns, where it has none.
func (s *state) counted(f reflect.Value) any {
	t := f.Type()
	in := make([]reflect.Type, t.NumIn())
	for i := range in {
		in[i] = t.In(i)
	}
	made := reflect.FuncOf(in, []reflect.Type{t.Out(0), errorType}, false)
	return reflect.MakeFunc(made, func(args []reflect.Value) []reflect.Value {
		if err := s.key(); err != nil {
			return []reflect.Value{reflect.Zero(t.Out(0)), reflect.ValueOf(err)}
		}
		for _, a := range args { // what is of another type stands in their errors
			if err := s.admit(a.Interface()); err != nil {
				return []reflect.Value{reflect.Zero(t.Out(0)), reflect.ValueOf(err)}
			}
		}
		out := f.Call(args)
		if len(out) == 1 {
			out = append(out, reflect.Zero(errorType))
		}
		return out
	}).Interface()
}
