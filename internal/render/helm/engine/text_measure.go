package engine

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// admit counts a value that is to be printed, encoded or copied.
func (s *state) admit(values ...any) error {
	size, err := s.measure(values...)
	if err != nil {
		return err
	}
	return s.step(size.Bytes/256 + 1)
}

func (s *state) measure(values ...any) (bounded.Print, error) {
	size, err := bounded.Printed(s.limits.Text, values...)
	if errors.Is(err, bounded.ErrLarge) {
		return size, &limitError{fmt.Sprintf("a value that is printed, encoded or copied has more than %d MiB", s.limits.Text>>20)}
	}
	return size, err
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
