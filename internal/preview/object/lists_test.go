package object

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// pathsOf are the places that differ, with + and - for what comes and goes.
func pathsOf(fields []forecast.Field) []string {
	var out []string
	for _, f := range fields {
		switch {
		case f.Old == nil:
			out = append(out, "+"+f.Path)
		case f.New == nil:
			out = append(out, "-"+f.Path)
		default:
			out = append(out, f.Path)
		}
	}
	return out
}

func TestItemsOfListsBelongTogether(t *testing.T) {
	cases := map[string]struct {
		reason, before, after string
		want                  []string
	}{
		"ByName":     {"items of one name are one", "l: [{name: a, v: 1}, {name: b, v: 2}]", "l: [{name: a, v: 1}, {name: c, v: 3}, {name: b, v: 4}]", []string{"l[name=b].v", "+l[name=c]"}},
		"Reordered":  {"nobody knows whether the order counts", "l: [{name: a}, {name: b}]", "l: [{name: b}, {name: a}]", []string{"l[order]"}},
		"MovedAway":  {"what comes and goes is no other order", "l: [{name: a}, {name: b}]", "l: [{name: c}, {name: b}]", []string{"-l[name=a]", "+l[name=c]"}},
		"BestKey":    {"the first key that tells them apart", "l: [{key: k, name: a}, {key: k, name: b}]", "l: [{key: k, name: a}, {key: j, name: b}]", []string{"l[name=b].key"}},
		"NextKey":    {"of a name that stands twice another key", "l: [{name: a, id: 1}, {name: a, id: 2}]", "l: [{name: a, id: 1}, {name: b, id: 2}]", []string{"l[id=2].name"}},
		"NoKey":      {"without any, what is the same stays", "l: [{x: 1}, {x: 2}]", "l: [{x: 3}, {x: 1}, {x: 2}]", []string{"+l[0]"}},
		"Deleted":    {"one that goes from the middle", "l: [a, b, c]", "l: [a, c]", []string{"-l[1]"}},
		"Replaced":   {"one in place of another", "l: [a, b, c]", "l: [a, x, c]", []string{"l[1]"}},
		"Twice":      {"the same items may stand twice", "l: [a, a, b]", "l: [a, b]", []string{"-l[1]"}},
		"Emptied":    {"a list of nothing has items no longer", "l: [{name: a}]", "l: []", []string{"-l[0]"}},
		"Null":       {"null in a list is an item", "l: [a, null]", "l: [a, b]", []string{"l"}},
		"Mixed":      {"texts and mappings", "l: [a, {name: b}]", "l: [a, {name: c}]", []string{"l[1].name"}},
		"LongName":   {"a name that is as long as a text tells nothing apart", "l: [{name: " + strings.Repeat("x", 130) + ", v: 1}]", "l: [{name: " + strings.Repeat("x", 130) + ", v: 2}]", []string{"l[0].v"}},
		"Lines":      {"nor does one of several lines", "l: [{name: \"a\\nb\", v: 1}]", "l: [{name: \"a\\nb\", v: 2}]", []string{"l[0].v"}},
		"Mapping":    {"nor does one that is no text", "l: [{name: {a: b}, v: 1}]", "l: [{name: {a: b}, v: 2}]", []string{"l[0].v"}},
		"OtherKind":  {"a list in place of a mapping", "l: {a: b}", "l: [a]", []string{"l"}},
		"ListOfList": {"lists in lists", "l: [[a], [b]]", "l: [[a], [c]]", []string{"l[1][0]"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Compare(manifests(t, wrap("e.com/v1", "X", tc.before)), manifests(t, wrap("e.com/v1", "X", tc.after)), Options{})
			if len(got.Objects) != 1 {
				t.Fatalf("%s: %d objects", tc.reason, len(got.Objects))
			}
			if diff := cmp.Diff(tc.want, pathsOf(got.Objects[0].Fields)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Lists of Kubernetes' own kinds are compared as its API server merges them.
func TestListsThatKubernetesMerges(t *testing.T) {
	cases := map[string]struct {
		reason, kind, before, after string
		want                        []string
	}{
		"Tolerations":  {"no key: the order is told", "Pod", "spec: {tolerations: [{key: a}, {key: b}]}", "spec: {tolerations: [{key: b}, {key: a}]}", []string{"spec.tolerations[order]"}},
		"Volumes":      {"a volume is known by its name", "Pod", "spec: {volumes: [{name: a}, {name: b, emptyDir: {}}]}", "spec: {volumes: [{name: b, emptyDir: {medium: Memory}}, {name: a}]}", []string{"+spec.volumes[name=b].emptyDir.medium"}},
		"Mounts":       {"a mount by its path", "Pod", "spec: {containers: [{name: a, volumeMounts: [{mountPath: /a, name: v}, {mountPath: /b, name: v}]}]}", "spec: {containers: [{name: a, volumeMounts: [{mountPath: /b, name: v}, {mountPath: /a, name: w}]}]}", []string{"spec.containers[name=a].volumeMounts[mountPath=/a].name"}},
		"Init":         {"init containers run one after the other", "Pod", "spec: {initContainers: [{name: a}, {name: b}]}", "spec: {initContainers: [{name: b}, {name: a}]}", []string{"spec.initContainers[order]"}},
		"OnePort":      {"one key is enough where it tells them apart", "Service", "spec: {ports: [{port: 80, name: a}]}", "spec: {ports: [{port: 80, name: b}]}", []string{"spec.ports[port=80].name"}},
		"SamePorts":    {"two of one port and protocol are told apart by their names", "Service", "spec: {ports: [{port: 80, name: a, nodePort: 1}, {port: 80, name: b}]}", "spec: {ports: [{port: 80, name: b}, {port: 80, name: a, nodePort: 2}]}", []string{"spec.ports[name=a].nodePort", "spec.ports[order]"}},
		"SetTwice":     {"a set may have something twice", "Pod", "metadata: {name: x, finalizers: [a, a, b]}", "metadata: {name: x, finalizers: [b, a]}", []string{"-metadata.finalizers[1]"}},
		"SetComesIn":   {"each that comes is told", "Pod", "metadata: {name: x, finalizers: [a]}", "metadata: {name: x, finalizers: [b, a, c]}", []string{"+metadata.finalizers[2]", "+metadata.finalizers[0]"}},
		"Arguments":    {"arguments have an order", "Pod", "spec: {containers: [{name: a, command: [a, b]}]}", "spec: {containers: [{name: a, command: [b, a]}]}", []string{"-spec.containers[name=a].command[0]", "+spec.containers[name=a].command[1]"}},
		"QuantityMap":  {"amounts of a list's items", "Pod", "spec: {containers: [{name: a, resources: {requests: {cpu: '0.1'}}}]}", "spec: {containers: [{name: a, resources: {requests: {cpu: 100m}, claims: []}}]}", []string{"+spec.containers[name=a].resources.claims"}},
		"UnknownField": {"a field that Kubernetes does not know is compared, too", "Pod", "spec: {newer: {list: [{name: a, v: 1}]}}", "spec: {newer: {list: [{name: a, v: 2}]}}", []string{"spec.newer.list[name=a].v"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			side := func(body string) string {
				text := "apiVersion: v1\nkind: " + tc.kind + "\n" + body
				if !strings.HasPrefix(body, "metadata") {
					text += "\nmetadata: {name: x}"
				}
				return text
			}
			got := Compare(manifests(t, side(tc.before)), manifests(t, side(tc.after)), Options{})
			if len(got.Objects) != 1 {
				t.Fatalf("%s: %d objects", tc.reason, len(got.Objects))
			}
			if diff := cmp.Diff(tc.want, pathsOf(got.Objects[0].Fields)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Very long lists are compared by places: what an alignment of them took would be
// more than what it tells.
func TestVeryLongListsAreComparedByPlaces(t *testing.T) {
	list := func(first, last string, n int) map[string]any {
		out := []any{first}
		for i := range n {
			out = append(out, fmt.Sprint("item ", i))
		}
		return map[string]any{"l": append(out, last)}
	}
	before, after := list("a", "y", 1500), list("b", "z", 1500)
	if diff := cmp.Diff([]string{"l[0]", "l[1501]"}, pathsOf(Fields(before, after))); diff != "" {
		t.Errorf("two items of one length (-want +got):\n%s", diff)
	}
	some := list("a", "y", 500)
	shifted := map[string]any{"l": append([]any{"new"}, list("b", "z", 500)["l"].([]any)...)}
	if diff := cmp.Diff([]string{"l[0]", "+l[1]", "l[502]"}, pathsOf(Fields(some, shifted))); diff != "" {
		t.Errorf("of a shorter list what is inserted is found (-want +got):\n%s", diff)
	}
}

// Fields compares what is no object, such as the specs of Applications.
func TestFieldsOfWhatIsNoObject(t *testing.T) {
	cases := map[string]struct {
		reason        string
		before, after map[string]any
		want          []forecast.Field
	}{
		"Same":    {"a number in another form", map[string]any{"a": 1.0, "b": nil}, map[string]any{"a": int64(1)}, nil},
		"Nothing": {"nothing on one side", nil, map[string]any{"a": "x"}, []forecast.Field{{Path: "a", New: "x"}}},
		"Status":  {"a field that is called status is one like others", map[string]any{"status": "x"}, map[string]any{"status": "y"}, []forecast.Field{{Path: "status", Old: "x", New: "y"}}},
		"False":   {"no is another than none", map[string]any{}, map[string]any{"a": false}, []forecast.Field{{Path: "a", New: false}}},
		"Secret":  {"a password is not shown, and that it changes is", map[string]any{"password": "one-and-only"}, map[string]any{"password": "another-one"}, []forecast.Field{{Path: "password", Old: redact.Mask, New: redact.Mask, Masked: true}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Fields(tc.before, tc.after)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
