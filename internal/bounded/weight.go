package bounded

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Weight is what a value holds in memory, in bytes.
type Weight struct {
	// Texts are the bytes of its strings, and of its lists of bytes: about what
	// it takes where it is stored.
	Texts int64
	// Parts are all else: what its lists and maps have in them, and what its
	// pointers lead to. A list counts by its length, so that the same content
	// weighs the same, however it was read.
	Parts int64
}

// perEntry is what a map keeps beside each key and value, with its empty places.
const perEntry = 16

// Weigh measures a value that a parser has filled: such a value leads nowhere
// back to itself. It takes a few percent of the time of parsing.
func Weigh(v any) Weight {
	var w Weight
	w.add(reflect.ValueOf(v))
	return w
}

func (w *Weight) add(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // others hold nothing
	case reflect.String:
		w.Texts += int64(v.Len())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		w.Parts += size(v.Elem().Type())
		w.add(v.Elem())
	case reflect.Slice:
		w.list(v)
	case reflect.Array:
		for i := range v.Len() {
			w.add(v.Index(i))
		}
	case reflect.Map:
		w.entries(v)
	case reflect.Struct:
		for _, i := range holding(v.Type()) {
			w.add(v.Field(i))
		}
	}
}

func (w *Weight) list(v reflect.Value) {
	n, of := v.Len(), v.Type().Elem()
	if of.Kind() == reflect.Uint8 {
		w.Texts += int64(n)
		return
	}
	w.Parts += int64(n) * size(of)
	if !holds(of) {
		return
	}
	for i := range n {
		w.add(v.Index(i))
	}
}

func (w *Weight) entries(v reflect.Value) {
	t := v.Type()
	w.Parts += int64(v.Len()) * (size(t.Key()) + size(t.Elem()) + perEntry)
	for each := v.MapRange(); each.Next(); {
		w.add(each.Key())
		w.add(each.Value())
	}
}

func size(t reflect.Type) int64 { return int64(t.Size()) } //nolint:gosec // of a type

// fields has the indexes of those of each type of struct that hold something.
var fields sync.Map

func holding(t reflect.Type) []int {
	if known, ok := fields.Load(t); ok {
		return known.([]int) //nolint:forcetypeassert // nothing else is stored
	}
	out := []int{}
	for i := range t.NumField() {
		if holds(t.Field(i).Type) && t != timeType {
			out = append(out, i)
		}
	}
	fields.Store(t, out)
	return out
}

var timeType = reflect.TypeFor[time.Time]()

// holds reports whether values of a type hold anything beside themselves. All
// times have the same place.
func holds(t reflect.Type) bool {
	switch t.Kind() { //nolint:exhaustive // others hold nothing
	case reflect.String, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return true
	case reflect.Array:
		return holds(t.Elem())
	case reflect.Struct:
		if t == timeType {
			return false
		}
		for i := range t.NumField() {
			if holds(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// Heaviest finds the list or map of an object that has most of its Parts, with
// how many entries that has. The path is that of its JSON: status.resources.
func Heaviest(v any) (path string, entries int) { return heaviestOf(reflect.ValueOf(v), "") }

func heaviestOf(v reflect.Value, path string) (string, int) {
	switch v.Kind() { //nolint:exhaustive // others hold nothing
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return heaviestOf(v.Elem(), path)
		}
	case reflect.Struct:
		if i := heaviest(v.NumField(), v.Field); i >= 0 {
			return heaviestOf(v.Field(i), strings.Trim(path+"."+jsonName(v.Type().Field(i)), "."))
		}
	case reflect.Slice:
		own := int64(v.Len()) * size(v.Type().Elem())
		if i := heaviest(v.Len(), v.Index); i >= 0 && 2*weightOf(v.Index(i)).Parts > own { // one of them, and not their number
			return heaviestOf(v.Index(i), path+"["+strconv.Itoa(i)+"]")
		}
		return path, v.Len()
	case reflect.Map:
		return path, v.Len()
	}
	return path, 0
}

// heaviest is the one of so many that has the most Parts; -1 where none has any.
func heaviest(n int, get func(int) reflect.Value) int {
	at, most := -1, int64(0)
	for i := range n {
		if parts := weightOf(get(i)).Parts; parts > most {
			at, most = i, parts
		}
	}
	return at
}

func weightOf(v reflect.Value) Weight {
	var w Weight
	w.add(v)
	return w
}

// jsonName is empty for a field whose own fields stand in its place.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" && !f.Anonymous {
		return f.Name
	}
	return name
}
