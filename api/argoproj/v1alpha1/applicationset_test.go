package v1alpha1

import (
	"encoding/json"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestApplicationsSyncPolicy(t *testing.T) {
	policy := func(p ApplicationsSyncPolicy) *ApplicationSetSyncPolicy {
		return &ApplicationSetSyncPolicy{ApplicationsSync: &p}
	}
	cases := map[string]struct {
		reason     string
		policy     *ApplicationSetSyncPolicy
		upd, delet bool
	}{
		"Absent":       {reason: "everything is allowed by default", upd: true, delet: true},
		"Empty":        {reason: "an empty policy allows everything", policy: &ApplicationSetSyncPolicy{}, upd: true, delet: true},
		"Sync":         {reason: "sync is everything", policy: policy(ApplicationsSyncPolicySync), upd: true, delet: true},
		"CreateOnly":   {reason: "nothing but creation", policy: policy(ApplicationsSyncPolicyCreateOnly)},
		"CreateUpdate": {reason: "no deletion", policy: policy(ApplicationsSyncPolicyCreateUpdate), upd: true},
		"CreateDelete": {reason: "no change", policy: policy(ApplicationsSyncPolicyCreateDelete), delet: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ApplicationSetSpec{SyncPolicy: tc.policy}.GetApplicationsSync()
			if got.AllowUpdate() != tc.upd || got.AllowDelete() != tc.delet {
				t.Errorf("%s: %s allows update %t, delete %t", tc.reason, got, got.AllowUpdate(), got.AllowDelete())
			}
		})
	}
}

func TestNestedGenerators(t *testing.T) {
	text := `{"generators":[
		{"matrix":{"generators":[{"clusters":{}},{"list":{"elements":[{"a":"b"}]},"selector":{"matchLabels":{"a":"b"}}}]}},
		{"merge":{"generators":[{"git":{"repoURL":"r","revision":"HEAD"}}],"mergeKeys":["name"]}}]}`
	var outer MatrixGenerator
	if err := json.Unmarshal([]byte(text), &outer); err != nil {
		t.Fatal(err)
	}
	matrix, err := outer.Generators[0].NestedMatrix()
	if err != nil || len(matrix.Generators) != 2 || matrix.Generators[1].Nested().Selector.MatchLabels["a"] != "b" {
		t.Errorf("a matrix within a matrix is read with its selectors: %+v, %v", matrix, err)
	}
	merge, err := outer.Generators[1].NestedMerge()
	if err != nil || len(merge.Generators) != 1 || merge.MergeKeys[0] != "name" {
		t.Errorf("a merge within a matrix is read with its keys: %+v, %v", merge, err)
	}
	if absent, err := outer.Generators[1].NestedMatrix(); absent != nil || err != nil {
		t.Errorf("an absent matrix is nil: %+v, %v", absent, err)
	}
	broken := ApplicationSetNestedGenerator{Merge: &apiextensionsv1.JSON{Raw: []byte(`{"generators":"x"}`)}}
	if _, err := broken.NestedMerge(); err == nil {
		t.Error("a merge of the wrong shape is an error")
	}
}

// TestNestedKeepsEveryGenerator holds that a generator added to one of the
// three types is added to the others and carried over between them.
func TestNestedKeepsEveryGenerator(t *testing.T) {
	terminal := reflect.TypeFor[ApplicationSetTerminalGenerator]()
	in := reflect.New(terminal).Elem()
	for i := range terminal.NumField() {
		in.Field(i).Set(reflect.New(terminal.Field(i).Type.Elem()))
	}
	out := reflect.ValueOf(in.Interface().(ApplicationSetTerminalGenerator).Nested())
	for i := range terminal.NumField() {
		name := terminal.Field(i).Name
		if out.FieldByName(name).IsNil() {
			t.Errorf("Nested() loses %s", name)
		}
		if _, ok := reflect.TypeFor[ApplicationSetGenerator]().FieldByName(name); !ok {
			t.Errorf("ApplicationSetGenerator has no %s", name)
		}
	}
	if got, want := terminal.NumField()+2, reflect.TypeFor[ApplicationSetGenerator]().NumField(); got != want {
		t.Errorf("the terminal generator with matrix and merge has %d fields, the outer one %d", got, want)
	}
}
