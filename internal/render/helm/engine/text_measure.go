package engine

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
)

// errDeep is a value that contains itself, or nearly so.
var errDeep = errors.New("the value contains itself, or is nested too deeply")

// measure estimates the bytes that a value takes as text: everything that
// prints or encodes walks into a value as often as it is referred to, so that
// a few lines can make a value that fits into no memory.
type measure struct {
	bytes, limit int64
}

var errLarge = errors.New("the value is too large")

// admit counts a value that is to be printed, encoded or copied.
func (s *state) admit(values ...any) error {
	bytes, err := s.measure(values...)
	if err != nil {
		return err
	}
	return s.step(bytes/256 + 1)
}

func (s *state) measure(values ...any) (int64, error) {
	m := measure{limit: s.limits.Text}
	for _, v := range values {
		err := m.add(v, 0)
		if errors.Is(err, errLarge) {
			return 0, &limitError{fmt.Sprintf("a value that is printed, encoded or copied has more than %d MiB", s.limits.Text>>20)}
		}
		if err != nil {
			return 0, err
		}
	}
	return m.bytes, nil
}

// item is what an item takes besides its text: separators and indentation.
func (m *measure) item(depth int, bytes int) error {
	if depth > maxDeep {
		return errDeep
	}
	if m.bytes += int64(bytes + 8 + 2*depth); m.bytes > m.limit {
		return errLarge
	}
	return nil
}

func (m *measure) text(depth int, text string) error {
	return m.item(depth, len(text)+2*depth*strings.Count(text, "\n"))
}

func (m *measure) add(v any, depth int) error {
	switch v := v.(type) {
	case nil, bool, int, int64, float64:
		return m.item(depth, 16)
	case string:
		return m.text(depth, v)
	case []byte:
		return m.item(depth, 4*len(v))
	case map[string]any:
		return addMap(m, v, depth)
	case common.Values:
		return addMap(m, v, depth)
	case files:
		return addMap(m, v, depth)
	case map[string]string:
		return addMap(m, v, depth)
	case []any:
		return addList(m, v, depth)
	case []string:
		return addList(m, v, depth)
	}
	return m.reflect(reflect.ValueOf(v), depth)
}

func addMap[V any](m *measure, v map[string]V, depth int) error {
	if err := m.item(depth, 2); err != nil {
		return err
	}
	for key, item := range v {
		if err := m.item(depth, len(key)); err != nil {
			return err
		}
		if err := m.add(item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func addList[V any](m *measure, v []V, depth int) error {
	if err := m.item(depth, 2); err != nil {
		return err
	}
	for _, item := range v {
		if err := m.add(item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// reflect measures the other types of the few functions that make such.
func (m *measure) reflect(v reflect.Value, depth int) error {
	if err := m.item(depth, 16); err != nil {
		return err
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return m.value(v.Elem(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := m.value(v.Index(i), depth+1); err != nil {
				return err
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if err := m.value(it.Key(), depth+1); err != nil {
				return err
			}
			if err := m.value(it.Value(), depth+1); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := m.value(v.Field(i), depth+1); err != nil {
				return err
			}
		}
	case reflect.String:
		return m.text(depth, v.String())
	default:
	}
	return nil
}

func (m *measure) value(v reflect.Value, depth int) error {
	if v.CanInterface() {
		return m.add(v.Interface(), depth)
	}
	return m.reflect(v, depth)
}

// guardPrint lets through what may be printed.
func (s *state) guardPrint(v reflect.Value) (reflect.Value, error) {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Interface, reflect.Struct, reflect.Pointer:
		if v.CanInterface() {
			return v, s.admit(v.Interface())
		}
	default:
	}
	return v, nil
}

// guardKeep counts what a method of .Files made.
func (s *state) guardKeep(v reflect.Value) (reflect.Value, error) {
	switch v.Kind() {
	case reflect.String:
		return v, s.produce(int64(v.Len()))
	case reflect.Slice:
		return v, s.produce(int64(v.Len()) * 16)
	case reflect.Map:
		return v, s.produce(int64(v.Len()) * 64)
	default:
		return v, nil
	}
}

// shallow is the memory that keeping values in a list or map may hold.
func shallow(values ...any) int64 {
	var n int64
	for _, v := range values {
		n += 16
		switch v := v.(type) {
		case string:
			n += int64(len(v))
		case []any:
			n += 2 * int64(len(v))
		case map[string]any:
			n += 2 * int64(len(v))
		}
	}
	return n
}

// lengthOf is the number of items of a list; 0 for what is none.
func lengthOf(list any) int {
	switch l := list.(type) {
	case []any:
		return len(l)
	case nil:
		return 0
	}
	if v := reflect.ValueOf(list); v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
		return v.Len()
	}
	return 0
}
