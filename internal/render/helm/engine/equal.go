package engine

import (
	"errors"
	"fmt"
	"reflect"
	"text/template"
)

// comparisons stand for those of text/template, which print maps and lists that
// cannot be compared: one that contains itself without end.
func (s *state) comparisons() template.FuncMap {
	return template.FuncMap{
		"eq": s.eq,
		"ne": func(a reflect.Value, b reflect.Value) (bool, error) {
			same, err := s.eq(a, b)
			return err == nil && !same, err
		},
	}
}

// eq reports whether the first is the same as any of the others.
func (s *state) eq(first reflect.Value, others ...reflect.Value) (bool, error) {
	if len(others) == 0 {
		return false, errors.New("missing argument for comparison")
	}
	first = held(first)
	for _, other := range others {
		if same, err := s.same(first, held(other)); same || err != nil {
			return same, err
		}
	}
	return false, nil
}

// held is what an interface has in it; the zero Value for nothing.
func held(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Interface {
		return v.Elem()
	}
	return v
}

func (s *state) same(a, b reflect.Value) (bool, error) {
	switch {
	case !a.IsValid() || !b.IsValid():
		return isNothing(a) && isNothing(b), nil
	case isWhole(a) && isWhole(b):
		return sameWhole(a, b), nil
	case a.Kind() == reflect.String && b.Kind() == reflect.String:
		return a.String() == b.String(), s.work(a.Len())
	case a.CanFloat() && b.CanFloat(), a.CanComplex() && b.CanComplex(), a.Kind() == reflect.Bool && b.Kind() == reflect.Bool:
		return sameNumber(a, b), nil
	case isBasic(a) || isBasic(b):
		return false, fmt.Errorf("incompatible types for comparison: %v and %v", a.Type(), b.Type())
	}
	return s.sameNested(a, b)
}

func isWhole(v reflect.Value) bool { return v.CanInt() || v.CanUint() }

// sameWhole compares whole numbers, with a sign or without.
func sameWhole(a, b reflect.Value) bool {
	if a.CanInt() != b.CanInt() {
		if b.CanInt() {
			a, b = b, a
		}
		n := a.Int()
		return n >= 0 && uint64(n) == b.Uint()
	}
	if a.CanInt() {
		return a.Int() == b.Int()
	}
	return a.Uint() == b.Uint()
}

// sameNumber compares two of one kind, or truths.
func sameNumber(a, b reflect.Value) bool {
	switch {
	case a.CanFloat():
		return a.Float() == b.Float()
	case a.CanComplex():
		return a.Complex() == b.Complex()
	}
	return a.Bool() == b.Bool()
}

// sameNested compares maps, lists, pointers and structs, of which most cannot be.
func (s *state) sameNested(a, b reflect.Value) (bool, error) {
	switch {
	case a.Kind() != b.Kind():
		return false, fmt.Errorf("non-comparable types %s: %v, %v: %s", s.shown("%s", a), a.Type(), b.Type(), s.shown("%v", b))
	case isNothing(a) || isNothing(b):
		return isNothing(a) && isNothing(b), nil
	case !b.Type().Comparable():
		return false, fmt.Errorf("non-comparable type %s: %v", s.shown("%s", b), b.Type())
	}
	return a.Equal(b), nil
}

// shown is a value in an error: its text, where that is short.
func (s *state) shown(verb string, v reflect.Value) string {
	const short = 4 << 10
	if v.CanInterface() {
		if size, err := s.measure(v.Interface()); err == nil && size.Bytes <= short {
			return fmt.Sprintf(verb, v)
		}
	}
	return "(a value that is too large to show)"
}

func isNothing(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return v.IsNil()
	default:
		return false
	}
}

func isBasic(v reflect.Value) bool {
	return v.CanInt() || v.CanUint() || v.CanFloat() || v.CanComplex() || v.Kind() == reflect.String || v.Kind() == reflect.Bool
}
