package tabletest

import (
	"reflect"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

// Longest is a value whose two ends and middle can be told apart.
var Longest = "begin-" + strings.Repeat("long words of a value, ", 8) + "-end"

// Lengthy fills all texts of a value with long ones, and lists with several.
func Lengthy[T any]() T {
	var v T
	lengthen(reflect.ValueOf(&v).Elem(), 0)
	return v
}

func lengthen(v reflect.Value, depth int) {
	if depth > 6 || !v.CanSet() {
		return
	}
	switch v.Kind() { //nolint:exhaustive // others have no length
	case reflect.String:
		v.SetString(Longest)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1_234_567)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		lengthen(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			lengthen(v.Index(i), depth+1)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(clitest.Noon.Add(-time.Hour)))
			return
		}
		for i := range v.NumField() {
			lengthen(v.Field(i), depth+1)
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(Longest))
		}
	}
}
