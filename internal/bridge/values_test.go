package bridge

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestFieldIsBounded(t *testing.T) {
	object := map[string]any{"status": map[string]any{"endpoint": "https://a", "list": []any{"x", "y"}, "long": strings.Repeat("a", MaxValue+1)}}
	cases := map[string]struct{ path, want, problem string }{
		"Braces":  {"{.status.endpoint}", "https://a", ""},
		"Bare":    {".status.endpoint", "https://a", ""},
		"List":    {"{.status.list[*]}", "x y", ""},
		"Missing": {"{.status.none}", "", "no field"},
		"Long":    {"{.status.long}", "", "bytes"},
		"Nested":  {"{range .a[*]}{range .b[*]}{end}{end}", "", "too expensive"},
		"Broken":  {"{.status", "", "cannot read the path"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Field(object, tc.path)
			if tc.problem == "" && (err != nil || got != tc.want) {
				t.Errorf("%q, %v", got, err)
			}
			if tc.problem != "" && (err == nil || !strings.Contains(err.Error(), tc.problem)) {
				t.Errorf("the problem is %v", err)
			}
		})
	}
}

func TestPlanWriteIsQuietWhenAllIsSo(t *testing.T) {
	manager, _ := Manager("net")
	meta := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Annotations: map[string]string{"a": "1", "b": "2", "c": "3"},
		ManagedFields: []metav1.ManagedFieldsEntry{
			{Manager: manager, FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:a":{},"f:b":{}}}}`)},
			{Manager: "terraform", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:c":{}}}}`)},
		},
	}}
	same := []Wanted{{Key: Key{Annotation, "a"}, Value: "1"}, {Key: Key{Annotation, "b"}, Lost: true}}
	if w := PlanWrite(manager, "dev", meta, same); w.Changed || len(w.Problems) > 0 {
		t.Errorf("nothing changed, yet %+v", w)
	}
	if w := PlanWrite(manager, "dev", meta, same[:1]); !w.Changed || len(w.Annotations) != 1 {
		t.Errorf("a key that is no longer wanted stays: %+v", w)
	}
	w := PlanWrite(manager, "dev", meta, append(same, Wanted{Key: Key{Annotation, "c"}, Value: "4"}))
	if w.Changed || len(w.Problems) != 1 || !strings.Contains(w.Problems[0].Message, "ClusterMetadata net and terraform") {
		t.Errorf("a key of another: %+v", w)
	}
}

func TestHeldKeepsWhatSettersAndHoldersRead(t *testing.T) {
	then := metav1.NewTime(time.Unix(1000, 0))
	all := []metav1.ManagedFieldsEntry{
		{Manager: "a", Time: &then, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(
			`{"f:data":{"f:config":{},"f:name":{}},"f:metadata":{"f:annotations":{".":{},"f:x":{}},"f:labels":{"f:x":{},"f:a.b/c":{}},"f:finalizers":{"v:\"y\"":{}}},"f:type":{}}`)},
		{Manager: "content", FieldsV1: metav1.NewFieldsV1(`{"f:data":{}}`)},
		{Manager: "status", Subresource: "status", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:x":{}}}}`)},
		{Manager: "broken", FieldsV1: metav1.NewFieldsV1(`{`)},
		{Manager: "none"},
	}
	held := Held(all)
	if diff := cmp.Diff(Setters(all), Setters(held)); diff != "" {
		t.Errorf("who set what differs (-all +held):\n%s", diff)
	}
	if diff := cmp.Diff(Holders(all), Holders(held)); diff != "" {
		t.Errorf("who holds what differs (-all +held):\n%s", diff)
	}
	if len(held) != 1 || strings.Contains(held[0].FieldsV1.GetRawString(), "f:data") {
		t.Errorf("more is kept than is read: %v", held)
	}
	if diff := cmp.Diff(held, Held(held), cmp.Comparer(func(a, b metav1.FieldsV1) bool { return a.Equal(b) })); diff != "" {
		t.Errorf("what is kept is not kept again (-once +twice):\n%s", diff)
	}
}

func FuzzField(f *testing.F) {
	f.Add("{.a.b[0]}")
	f.Add("{range .a[*]}{.b}{end}")
	f.Add("{.a[?(@.b==1)].c}")
	f.Fuzz(func(t *testing.T, path string) {
		got, err := Field(map[string]any{"a": []any{map[string]any{"b": int64(1), "c": "x"}}}, path)
		if err == nil && len(got) > MaxValue {
			t.Fatalf("%d bytes", len(got))
		}
	})
}
