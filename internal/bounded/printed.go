package bounded

import (
	"errors"
	"reflect"
	"time"
)

// Print is about what values take as text. Everything that prints, joins or
// encodes walks into a value as often as it is referred to, so that a few lines
// of a template make a value whose text fits into no memory.
type Print struct {
	// Bytes are those of texts, and of what stands between them.
	Bytes int64
	// Items are the values inside one another, each as often as it is printed.
	Items int64
}

var (
	// ErrLarge is a value that takes more than it may.
	ErrLarge = errors.New("the value is too large")
	// ErrDeep is a value that contains itself, or nearly so.
	ErrDeep = errors.New("the value contains itself, or is nested too deeply")
)

// Printed measures values before they are printed. It goes no further than to
// the limit, which is in bytes.
func Printed(limit int64, values ...any) (Print, error) {
	m := measure{limit: limit}
	for _, v := range values {
		if err := m.add(v, 0); err != nil {
			return m.Print, err
		}
	}
	return m.Print, nil
}

type measure struct {
	Print

	limit int64
}

const (
	deepestPrint = 1_000 // maps and lists inside one another
	perPrint     = 8     // what stands around an item, in bytes
	perNumber    = 16
	perTime      = 64
	perDigits    = 4 // of a list of bytes: it is printed as numbers
)

// item is what an item takes besides its text: separators and indentation.
func (m *measure) item(depth int, bytes int) error {
	if depth > deepestPrint {
		return ErrDeep
	}
	m.Items++
	if m.Bytes += int64(bytes + perPrint + 2*depth); m.Bytes > m.limit { //nolint:mnd // two spaces
		return ErrLarge
	}
	return nil
}

func (m *measure) text(depth int, text string) error {
	return m.item(depth, len(text)+2*(depth+1)*breaks(text, depth)) //nolint:mnd // two spaces
}

func (m *measure) add(v any, depth int) error {
	switch v := v.(type) {
	case nil, bool, int, int64, float64:
		return m.item(depth, perNumber)
	case string:
		return m.text(depth, v)
	case []byte:
		return m.item(depth, perDigits*len(v))
	case map[string]any:
		return printMap(m, v, depth)
	case map[string]string:
		return printMap(m, v, depth)
	case []any:
		return printList(m, v, depth)
	case []string:
		return printList(m, v, depth)
	case time.Time: // it leads to all changes of its zone
		return m.item(depth, perTime)
	}
	return m.reflect(reflect.ValueOf(v), depth)
}

func printMap[V any](m *measure, v map[string]V, depth int) error {
	if err := m.item(depth, 0); err != nil {
		return err
	}
	for key, item := range v {
		if err := m.text(depth, key); err != nil {
			return err
		}
		if err := m.add(item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func printList[V any](m *measure, v []V, depth int) error {
	if err := m.item(depth, 0); err != nil {
		return err
	}
	for _, item := range v {
		if err := m.add(item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

var plainMap = reflect.TypeFor[map[string]any]()

// reflect measures all other types.
func (m *measure) reflect(v reflect.Value, depth int) error {
	if v.Kind() == reflect.Map && v.CanInterface() && v.Type().ConvertibleTo(plainMap) {
		return m.add(v.Convert(plainMap).Interface(), depth)
	}
	if err := m.item(depth, perNumber); err != nil {
		return err
	}
	switch v.Kind() { //nolint:exhaustive // others hold nothing
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return m.value(v.Elem(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		return m.all(v.Len(), v.Index, depth+1)
	case reflect.Map:
		return m.entries(v, depth+1)
	case reflect.Struct:
		return m.all(v.NumField(), v.Field, depth+1)
	case reflect.String:
		return m.text(depth, v.String())
	}
	return nil
}

func (m *measure) all(n int, at func(int) reflect.Value, depth int) error {
	for i := range n {
		if err := m.value(at(i), depth); err != nil {
			return err
		}
	}
	return nil
}

func (m *measure) entries(v reflect.Value, depth int) error {
	for it := v.MapRange(); it.Next(); {
		if err := m.value(it.Key(), depth); err != nil {
			return err
		}
		if err := m.value(it.Value(), depth); err != nil {
			return err
		}
	}
	return nil
}

func (m *measure) value(v reflect.Value, depth int) error {
	if v.CanInterface() {
		return m.add(v.Interface(), depth)
	}
	return m.reflect(v, depth)
}
