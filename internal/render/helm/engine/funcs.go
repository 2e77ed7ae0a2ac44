package engine

import (
	"errors"
	"maps"
	"reflect"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// library are the functions that Helm takes from Sprig.
var library = sync.OnceValue(func() template.FuncMap {
	m := sprig.TxtFuncMap()
	delete(m, "env")
	delete(m, "expandenv")
	return m
})

// names are those that templates may call; texts those of them that give
// neither a map nor a list.
var names, texts = func() (map[string]any, map[string]bool) {
	all, plain := map[string]any{}, map[string]bool{}
	for name, f := range newState(nil).functions() {
		switch t := reflect.TypeOf(f); t.Out(0).Kind() {
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
			plain[name] = true
		default:
		}
		all[name] = f
	}
	// Those that see other templates cannot be asked here.
	for _, name := range []string{"include", "tpl"} {
		all[name], plain[name] = true, true
	}
	for _, name := range []string{"len", "eq", "ge", "gt", "le", "lt", "ne", "not"} {
		plain[name] = true
	}
	delete(all, printGuard)
	delete(all, keepGuard)
	return all, plain
}()

// heads are functions that take a value of any kind, and look at what kind it is,
// how long, or at one item, and never further: they are left as they are.
var heads = map[string]bool{
	"all": true, "any": true, "coalesce": true, "default": true, "dig": true, "empty": true, "first": true, "kindIs": true, "kindOf": true, "last": true,
	"mustFirst": true, "mustLast": true, "ternary": true, "typeIs": true, "typeIsLike": true, "typeOf": true,
}

// functions are all but those that see other templates, bound to the state.
func (s *state) functions() template.FuncMap {
	out := make(template.FuncMap, len(library())+32)
	for name, f := range library() {
		if out[name] = f; !heads[name] {
			out[name] = s.bind(f)
		}
	}
	for _, own := range []template.FuncMap{s.texts(), s.numbers(), s.lists(), s.encoders(), s.decoders(), s.regexes(), s.costly(), s.comparisons(), s.verdicts()} {
		maps.Copy(out, own)
	}
	out[printGuard], out[keepGuard] = s.guardPrint, s.guardKeep
	return out
}

// verdicts end a render, or stand for what is not there.
func (s *state) verdicts() template.FuncMap {
	return template.FuncMap{
		"required": func(message string, v any) (any, error) {
			if text, ok := v.(string); v == nil || ok && text == "" {
				return v, errors.New(message)
			}
			return v, nil
		},
		"fail":          func(message string) (string, error) { return "", errors.New(message) },
		"lookup":        func(string, string, string, string) (map[string]any, error) { return map[string]any{}, nil },
		"getHostByName": func(string) string { return "" },
	}
}

// bind counts what functions of common forms look at and give: they give no
// more than a few times of what they are given. Those that may are bound by
// name, and those of other forms are small.
func (s *state) bind(f any) any {
	switch f := f.(type) {
	case func(string) string:
		return func(a string) (string, error) {
			if err := s.work(len(a)); err != nil {
				return "", err
			}
			return s.made(f(a), nil)
		}
	case func(string, string) string:
		return func(a, b string) (string, error) {
			if err := s.work(len(a) + len(b)); err != nil {
				return "", err
			}
			return s.made(f(a, b), nil)
		}
	case func(int, string) string:
		return func(n int, a string) (string, error) {
			if err := s.work(len(a)); err != nil {
				return "", err
			}
			return s.made(f(n, a), nil)
		}
	case func(string, string) bool:
		return func(a, b string) (bool, error) { return f(a, b), s.work(len(a) + len(b)) }
	}
	return s.bindAny(f)
}

// bindAny binds functions that walk into values.
func (s *state) bindAny(f any) any {
	switch f := f.(type) {
	case func(any) string:
		return func(v any) (string, error) {
			if err := s.admit(v); err != nil {
				return "", err
			}
			return s.made(f(v), nil)
		}
	case func(any) (string, error):
		return func(v any) (string, error) {
			if err := s.admit(v); err != nil {
				return "", err
			}
			return s.made(f(v))
		}
	case func(...any) string:
		return func(v ...any) (string, error) {
			if err := s.admit(v...); err != nil {
				return "", err
			}
			return s.made(f(v...), nil)
		}
	case func(any) []string:
		return func(v any) ([]string, error) {
			if err := s.admit(v); err != nil {
				return nil, err
			}
			out := f(v)
			return out, s.produce(16 * int64(len(out)))
		}
	}
	return s.bindList(f)
}
