package difference

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// config is a ConfigMap in the namespace shop.
func config(t *testing.T, data, entries string) *unstructured.Unstructured {
	t.Helper()
	if entries != "" { // what Git has has no such field
		entries = ", managedFields: [" + entries + "]"
	}
	return manifest(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop`+entries+`}, data: {`+data+`}}`)
}

// holding is an entry of managedFields by which a manager applied keys of a ConfigMap.
func holding(manager, operation string, keys ...string) string {
	return `{manager: ` + manager + `, operation: ` + operation + `, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:` + strings.Join(keys, `": {}, "f:`) + `": {}}}},`
}

func TestForetellFollowsOwners(t *testing.T) {
	cases := map[string]struct{ reason, desired, live, entries, want string }{
		"Added":    {"what Git has new comes", "a: x, b: x", "a: x", "", "a: x, b: x"},
		"Changed":  {"what Git has otherwise is Git's, whoever wrote it", "a: git", "a: theirs", holding("kubectl", "Update", "a"), "a: git"},
		"Gone":     {"what the manager applied and no longer writes goes", "a: x", "a: x, b: x", holding("causeway", "Apply", "a", "b"), "a: x"},
		"Shared":   {"but not where somebody else has it, too", "a: x", "a: x, b: x", holding("causeway", "Apply", "b") + holding("kubectl", "Update", "b"), "a: x, b: x"},
		"Theirs":   {"what others wrote stays", "a: x", "a: x, b: x", holding("kubectl", "Update", "b"), "a: x, b: x"},
		"Nobodys":  {"and so does what is nobody's", "a: x", "a: x, b: x", "", "a: x, b: x"},
		"NotApply": {"what the manager did not apply is as of somebody else", "a: x", "a: x, b: x", holding("causeway", "Update", "b"), "a: x, b: x"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired, live := config(t, tc.desired, ""), config(t, tc.live, tc.entries)
			before := live.DeepCopy()
			got, err := Foretell(t.Context(), desired, live, "causeway")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(config(t, tc.want, "").Object["data"], got.Object["data"]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if len(got.GetManagedFields()) > 0 {
				t.Errorf("%s: who owns what afterwards is not known", tc.reason)
			}
			if diff := cmp.Diff(before, live); diff != "" {
				t.Errorf("the live object was changed:\n%s", diff)
			}
		})
	}
}

// A kind without a schema has no owners that count: what is no longer desired stays.
func TestForetellOtherKinds(t *testing.T) {
	widget := func(spec, entries string) *unstructured.Unstructured {
		return manifest(t, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, managedFields: [`+entries+`]}, spec: {`+spec+`}}`)
	}
	mine := `{manager: causeway, operation: Apply, apiVersion: example.com/v1, fieldsV1: {"f:spec": {"f:a": {}, "f:b": {}, "f:l": {}}}}`
	got, err := Foretell(t.Context(), widget("a: git, l: [3]", ""), widget("a: x, b: x, l: [1, 2]", mine), "causeway")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(widget("a: git, b: x, l: [3]", "").Object["spec"], got.Object["spec"]); diff != "" {
		t.Errorf("a list is one value, and nothing goes (-want +got):\n%s", diff)
	}
}

func TestObjectsThatDoNotFitTheirSchema(t *testing.T) {
	odd := manifest(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replica: 1}}")
	for name, try := range map[string]func(desired, live *unstructured.Unstructured) error{
		"Foretell": func(desired, live *unstructured.Unstructured) error {
			_, err := Foretell(t.Context(), desired, live, "causeway")
			return err
		},
		"Written": func(desired, live *unstructured.Unstructured) error {
			_, err := Written(desired, live)
			return err
		},
	} {
		for _, err := range []error{try(odd, sample()), try(sample(), odd)} {
			if !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), "apps/Deployment:shop/web") || !strings.Contains(err.Error(), "it does not fit its schema") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// texted are the paths of a set, as they are in managedFields.
func texted(t *testing.T, set *fieldpath.Set) string {
	t.Helper()
	text, err := set.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWritten(t *testing.T) {
	cases := map[string]struct{ reason, desired, want string }{
		"Identity": {"nobody owns what names an object", `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}`, `{}`},
		"Labels":   {"other metadata are owned", `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {x: z}}}`, `{"f:metadata":{"f:labels":{"f:x":{}}}}`},
		"Keys": {
			"an item is owned by its key", `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80, protocol: TCP}]}}`,
			`{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:protocol":{}}}}}`,
		},
		"Whole": {"a list of another kind is owned whole", `{apiVersion: example.com/v1, kind: A, metadata: {name: a}, spec: {l: [{name: x}]}}`, `{"f:metadata":{},"f:spec":{".":{},"f:l":{}}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired := manifest(t, tc.desired)
			got, err := Written(desired, desired)
			if err != nil {
				t.Fatal(err)
			}
			if texted(t, got) != tc.want {
				t.Errorf("%s: got %s", tc.reason, texted(t, got))
			}
		})
	}
}

func TestApplied(t *testing.T) {
	live := config(t, "", holding("causeway", "Apply", "a")+holding("causeway", "Update", "b")+holding("kubectl", "Apply", "c")+holding("causeway", "Apply", "d")+
		`{manager: causeway, operation: Apply, subresource: status, fieldsV1: {"f:data": {"f:e": {}}}},{manager: causeway, operation: Apply}`)
	got, err := Applied(live, "causeway")
	if err != nil || texted(t, got) != `{"f:data":{"f:a":{},"f:d":{}}}` {
		t.Errorf("what the manager applied to the object itself, in whatever version: %s, %v", texted(t, got), err)
	}
	if got, err = Applied(sample(), "causeway"); err != nil || !got.Empty() {
		t.Errorf("of what nobody applied: %s, %v", texted(t, got), err)
	}
}

func TestSplit(t *testing.T) {
	path := func(key string) fieldpath.Path { return fieldpath.MakePathOrDie("data", key) }
	cases := map[string]struct {
		reason        string
		paths         *fieldpath.Set
		those, others string
	}{
		"None":   {"no paths take nothing", fieldpath.NewSet(), "", `{"f:data":{"f:a":{},"f:b":{}}}`},
		"Some":   {"what is named is parted", fieldpath.NewSet(path("a"), path("x")), `{"f:data":{"f:a":{}}}`, `{"f:data":{"f:b":{}}}`},
		"All":    {"nothing is left", fieldpath.NewSet(path("a"), path("b")), `{"f:data":{"f:a":{},"f:b":{}}}`, ""},
		"Others": {"nothing is among them", fieldpath.NewSet(path("x")), "", `{"f:data":{"f:a":{},"f:b":{}}}`},
	}
	entry := metav1.ManagedFieldsEntry{Manager: "causeway", Operation: "Apply", APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:a":{},"f:b":{}}}`)}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			those, others, err := Split(entry, tc.paths)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []struct {
				want string
				got  *metav1.ManagedFieldsEntry
			}{{tc.those, those}, {tc.others, others}} {
				if part.want == "" {
					if part.got != nil {
						t.Errorf("%s: an entry without fields is none: %v", tc.reason, part.got)
					}
					continue
				}
				var want, got map[string]any
				if json.Unmarshal([]byte(part.want), &want) != nil || json.Unmarshal([]byte(part.got.FieldsV1.GetRawString()), &got) != nil || !cmp.Equal(want, got) || part.got.Manager != "causeway" {
					t.Errorf("%s: got %v", tc.reason, part.got)
				}
			}
		})
	}
	if entry.FieldsV1.GetRawString() != `{"f:data":{"f:a":{},"f:b":{}}}` {
		t.Error("the entry was changed")
	}
}
