package engine

import (
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"
	"text/template"
)

// endless is a map that contains itself, as templates make one with set.
func endless() map[string]any {
	m := map[string]any{"list": []any{"a"}}
	m["list"] = []any{m}
	m["self"] = m
	return m
}

// TestNoFunctionFollowsAValueWithoutEnd gives such a value to each place of each
// function that takes it. Nothing recovers from a stack that overflows: that the
// test ends is what it asserts.
func TestNoFunctionFollowsAValueWithoutEnd(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	s := newState(nil)
	s.begin(t.Context(), Limits{}.withDefaults())
	for name, f := range s.functions() {
		v := reflect.ValueOf(f)
		for at := range v.Type().NumIn() {
			if args := argumentsWith(v.Type(), at); args != nil {
				callQuietly(t, name, v, args)
			}
		}
	}
}

func callQuietly(t *testing.T, name string, f reflect.Value, args []reflect.Value) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Logf("%s: %T", name, p) // as text/template makes an error of it
		}
	}()
	f.Call(args)
}

// argumentsWith are arguments of which one place has the value; nil where no value
// of any kind may stand.
func argumentsWith(t reflect.Type, at int) []reflect.Value {
	given := false
	var args []reflect.Value
	for i := range t.NumIn() {
		in, times := t.In(i), 1
		if t.IsVariadic() && i == t.NumIn()-1 {
			in, times = in.Elem(), 2
		}
		for range times {
			arg, ok := argument(in, i == at)
			given = given || ok
			args = append(args, arg)
		}
	}
	if !given {
		return nil
	}
	return args
}

func argument(t reflect.Type, wanted bool) (arg reflect.Value, given bool) {
	anything := reflect.TypeFor[any]()
	switch {
	case t == reflect.TypeFor[reflect.Value]():
		return reflect.ValueOf(reflect.ValueOf(endless())), wanted
	case t == anything && wanted:
		return reflect.ValueOf(endless()), true
	case t == reflect.TypeFor[map[string]any]() && wanted:
		return reflect.ValueOf(endless()), true
	case t == reflect.TypeFor[[]any]() && wanted:
		return reflect.ValueOf([]any{endless()}), true
	case t == anything:
		return reflect.ValueOf("a"), false
	case t.Kind() == reflect.String:
		return reflect.ValueOf("a").Convert(t), false
	case t.Kind() == reflect.Int:
		return reflect.ValueOf(1).Convert(t), false
	default:
		return reflect.Zero(t), false
	}
}

// TestComparisonsAreTheLanguages compares with text/template's own.
func TestComparisonsAreTheLanguages(t *testing.T) {
	one := 1
	values := []any{
		nil, true, false, 0, 1, -1, int64(1), uint8(1), uint64(1) << 63, 1.0, float32(1), complex(1, 0), "", "a", []any{}, []any{"a"}, []string(nil), []string{"a"},
		map[string]any{}, map[string]any{"a": 1}, map[string]any(nil), &one, (*int)(nil), struct{ A int }{1}, struct{ A []int }{}, [1]int{1}, errors.New("a"), fmt.Sprint,
	}
	s := newState(nil)
	s.begin(t.Context(), Limits{}.withDefaults())
	for _, text := range []string{`{{ eq .a .b }}`, `{{ ne .a .b }}`, `{{ eq .a .b .c }}`, `{{ .b | eq .a }}`, `{{ eq .none .b }}`, `{{ eq .a nil }}`} {
		theirs := template.Must(template.New("t").Parse(text))
		ours := template.Must(template.New("t").Funcs(s.comparisons()).Parse(text))
		for _, a := range values {
			for _, b := range values {
				data := map[string]any{"a": a, "b": b, "c": "a"}
				var want, got strings.Builder
				wanted, err := theirs.Execute(&want, data), ours.Execute(&got, data)
				if want.String() != got.String() || fmt.Sprint(wanted) != fmt.Sprint(err) {
					t.Errorf("%s of %#v and %#v: %q %v, want %q %v", text, a, b, got.String(), err, want.String(), wanted)
				}
			}
		}
	}
}
