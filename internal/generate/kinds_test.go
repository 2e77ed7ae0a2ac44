package generate

import (
	"reflect"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// The reference lists the generators of the API: each has to be one that works.
func TestEachGeneratorOfTheAPIHasAKind(t *testing.T) {
	kinds := New(nil, nil, nil).kinds
	fields := reflect.TypeFor[v1alpha1.ApplicationSetGenerator]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		if f.Name == "Selector" {
			continue
		}
		var g v1alpha1.ApplicationSetGenerator
		reflect.ValueOf(&g).Elem().Field(i).Set(reflect.New(f.Type.Elem()))
		found := 0
		for _, k := range kinds {
			if k.template(&g) != nil {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%d kinds know the generator %s, want one", found, f.Name)
		}
	}
}
