package observe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ownedBy is an object of which we own some fields.
func ownedBy(object, fields map[string]any) *unstructured.Unstructured {
	object["apiVersion"], object["kind"] = "v1", "Thing"
	meta, _ := object["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		object["metadata"] = meta
	}
	meta["namespace"], meta["name"], meta["uid"], meta["resourceVersion"] = "a", "b", "1", "1"
	meta["managedFields"] = []any{map[string]any{
		"manager": gitops.FieldManager, "operation": "Apply", "apiVersion": "v1", "fieldsV1": fields,
	}}
	return &unstructured.Unstructured{Object: object}
}

func TestManyMembersAreLookedAtOnce(t *testing.T) {
	const many = 5000
	finalizers, ports := make([]any, many), make([]any, many)
	members, items := map[string]any{".": map[string]any{}}, map[string]any{}
	for i := range many {
		name := fmt.Sprintf("a.b/%08d", i)
		finalizers[i], ports[i] = name, map[string]any{"port": int64(i), "protocol": "TCP", "name": name}
		members[fmt.Sprintf("v:%q", name)] = map[string]any{}
		items[fmt.Sprintf(`k:{"port":%d,"protocol":"TCP"}`, i)] = map[string]any{"f:name": map[string]any{}}
	}
	fields := map[string]any{"f:metadata": map[string]any{"f:finalizers": members}, "f:ports": items}
	o := ownedBy(map[string]any{"metadata": map[string]any{"finalizers": finalizers}, "ports": ports}, fields)

	h := &hasher{left: maxLooks}
	h.owned(fields, o.Object, maxDepth)
	// Each item of the list with keys counts with its keys, and with their values.
	if looks := maxLooks - h.left; looks > 50*many {
		t.Errorf("%d items of lists were looked at for twice %d members", looks, many)
	}

	before := New().Live("", o).Fingerprint
	set(o, "2", "metadata", "resourceVersion")
	if got := New().Live("", o).Fingerprint; got != before {
		t.Error("another version of what is the same has another fingerprint")
	}
	last, _ := ports[many-1].(map[string]any)
	last["name"] = "other"
	if got := New().Live("", o).Fingerprint; got == before {
		t.Error("a change of one of many items left the fingerprint as it was")
	}
}

func TestMembersByIndex(t *testing.T) {
	list := []any{
		"a", "b", int64(1), 2.5, true, nil, []any{"a"},
		map[string]any{"name": "x", "port": int64(1)}, map[string]any{"name": "x", "port": 2.0}, map[string]any{"name": "y"},
		map[string]any{"name": "x", "port": int64(1), "again": true}, map[string]any{"name": map[string]any{}, "port": int64(1)},
	}
	cases := map[string]struct {
		reason string
		want   any
		found  bool
	}{
		`v:"a"`:                   {"a text", "a", true},
		`v:"c"`:                   {"a text that is not there", nil, false},
		`v:1`:                     {"a number", int64(1), true},
		`v:1.0`:                   {"the same number", int64(1), true},
		`v:2.5`:                   {"a fraction", 2.5, true},
		`v:true`:                  {"a boolean", true, true},
		`v:false`:                 {"the other one", nil, false},
		`v:"1"`:                   {"a text is no number", nil, false},
		`v:null`:                  {"nothing, as a member", nil, true},
		`v:["a"]`:                 {"what is no scalar is named by nobody", nil, false},
		`k:{"name":"x","port":1}`: {"the first of several", list[7], true},
		`k:{"port":2,"name":"x"}`: {"keys in another order, a number in another form", list[8], true},
		`k:{"name":"y"}`:          {"one key", list[9], true},
		`k:{"name":"x","port":3}`: {"keys of no item", nil, false},
		`k:{"name":{}}`:           {"a key that is no scalar", nil, false},
		`k:{}`:                    {"no keys", nil, false},
		`k:`:                      {"no keys at all", nil, false},
		`i:1`:                     {"an index", "b", true},
		`i:99`:                    {"an index of nothing", nil, false},
		`f:a`:                     {"a field of a list", nil, false},
	}
	for element, tc := range cases {
		for _, indexed := range []bool{false, true} {
			h, at := &hasher{left: maxLooks}, place{value: list, items: list, indexed: indexed}
			got, found := h.step(&at, element)
			if diff := cmp.Diff(tc.want, got); diff != "" || found != tc.found {
				t.Errorf("%s, %s, by index %t: found %t %s", element, tc.reason, indexed, found, diff)
			}
		}
	}
}

// TestFingerprintOfOneItemByManyNames: whoever may write an object may write its managedFields, and name one item by
// each subset of its fields. What that takes is bounded; a fingerprint of a part equals none of another version.
func TestFingerprintOfOneItemByManyNames(t *testing.T) {
	item, names := map[string]any{"text": strings.Repeat("x", 1<<20)}, map[string]any{}
	for i := range 1000 {
		field := fmt.Sprint("f", i)
		item[field] = int64(i)
		names[fmt.Sprintf(`k:{%q:%d}`, field, i)] = map[string]any{}
	}
	fields := map[string]any{"f:items": names}
	o := ownedBy(map[string]any{"items": []any{item}}, fields)
	h := &hasher{left: maxLooks}
	h.owned(fields, o.Object, maxDepth)
	if len(h.buf) > maxHashed+2<<20 {
		t.Errorf("%d MiB of an object of one are hashed", len(h.buf)>>20)
	}
	before := New().Live("", o).Fingerprint
	set(o, "2", "metadata", "resourceVersion")
	if got := New().Live("", o).Fingerprint; got == before || got == "" {
		t.Errorf("another version has the fingerprint %q, as before: what was left out may have changed", got)
	}
}

func TestElementsAreBounded(t *testing.T) {
	e := &elements[element]{parse: parseValue}
	long := fmt.Sprintf("%q", strings.Repeat("x", 700_000))
	if got := e.get(long); got.value != strings.Repeat("x", 700_000) || len(e.parsed) != 0 {
		t.Errorf("of a long element %d are kept, and it is read as %.20q", len(e.parsed), got.value)
	}
	for i := range 100_000 {
		e.get(fmt.Sprintf("%q", fmt.Sprintf("%0100d", i)))
		if kept := len(e.parsed) * (elementCost + 102); kept > maxElements+elementCost+maxElement {
			t.Fatalf("%d bytes are kept after %d elements", kept, i)
		}
	}
	if len(e.parsed) == 0 {
		t.Error("short elements are not kept")
	}
}
