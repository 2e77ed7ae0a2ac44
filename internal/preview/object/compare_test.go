package object

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// manifests reads documents parted by lines with ---.
func manifests(t testing.TB, text string) []gitops.Manifest {
	t.Helper()
	var out []gitops.Manifest
	for _, doc := range strings.Split(text, "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(doc), &object); err != nil {
			t.Fatal(err)
		}
		if object != nil {
			out = append(out, gitops.Manifest{Object: &unstructured.Unstructured{Object: object}})
		}
	}
	return out
}

// wrap makes an object of the lines of a body.
func wrap(apiVersion, kind, body string) string {
	return "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: x, namespace: ns}\n" + strings.ReplaceAll(strings.TrimPrefix(body, "\n"), "\t", "  ")
}

const containersStart = "spec:\n  template:\n    spec:\n"

func TestFieldsThatDiffer(t *testing.T) {
	field := func(path string, old, head any) forecast.Field {
		return forecast.Field{Path: path, Old: old, New: head}
	}
	cases := map[string]struct {
		reason        string
		before, after string
		want          []forecast.Field
	}{
		"image": {
			"containers are told apart by name",
			wrap("apps/v1", "Deployment", containersStart+"      containers: [{name: app, image: a:1}, {name: log, image: l:1}]"),
			wrap("apps/v1", "Deployment", containersStart+"      containers: [{name: log, image: l:1}, {name: app, image: a:2}]"),
			[]forecast.Field{field("spec.template.spec.containers[name=app].image", "a:1", "a:2")},
		},
		"ports": {
			"one port with two protocols is two ports, and TCP is the protocol of a port without",
			wrap("v1", "Service", "spec: {ports: [{port: 53, name: a}, {port: 53, protocol: UDP, name: b}]}"),
			wrap("v1", "Service", "spec: {ports: [{port: 53, protocol: UDP, name: c}, {port: 53, name: a}]}"),
			[]forecast.Field{field("spec.ports[port=53,protocol=UDP].name", "b", "c")},
		},
		"order of environment": {
			"$(VARS) see what is before them",
			wrap("v1", "Pod", "spec: {containers: [{name: a, env: [{name: A, value: x}, {name: B, value: y}]}]}"),
			wrap("v1", "Pod", "spec: {containers: [{name: a, env: [{name: B, value: y}, {name: A, value: x}]}]}"),
			[]forecast.Field{field("spec.containers[name=a].env[order]", "name=A name=B", "name=B name=A")},
		},
		"quantities": {
			"the same amount in other words",
			wrap("v1", "Pod", "spec: {containers: [{name: a, resources: {limits: {cpu: 1000m, memory: 1Gi}}}]}"),
			wrap("v1", "Pod", "spec: {containers: [{name: a, resources: {limits: {cpu: 1, memory: 1024Mi}}}]}"),
			nil,
		},
		"quantities of custom resources": {
			"resources.limits means the same wherever it is",
			wrap("example.com/v1", "Widget", "spec: {resources: {limits: {cpu: 1000m}}, cpu: 1000m}"),
			wrap("example.com/v1", "Widget", "spec: {resources: {limits: {cpu: 1}}, cpu: 1}"),
			[]forecast.Field{field("spec.cpu", "1000m", int64(1))},
		},
		"no quantity": {
			"a label is a text",
			wrap("v1", "ConfigMap", "data: {cpu: '1000m'}"), wrap("v1", "ConfigMap", "data: {cpu: '1'}"),
			[]forecast.Field{field("data.cpu", "1000m", "1")},
		},
		"numbers and nulls": {
			"1.0 is 1, and null is absent",
			wrap("example.com/v1", "Widget", "spec: {a: 1.0, b: null}"), wrap("example.com/v1", "Widget", "spec: {a: 1}"), nil,
		},
		"defaults": {
			"what the API server would fill in is not invented",
			wrap("apps/v1", "Deployment", "spec: {}"), wrap("apps/v1", "Deployment", "spec: {replicas: 1}"),
			[]forecast.Field{field("spec.replicas", nil, int64(1))},
		},
		"one insertion": {
			"a list without keys is aligned",
			wrap("v1", "Pod", "spec: {containers: [{name: a, args: [x, y, z]}]}"), wrap("v1", "Pod", "spec: {containers: [{name: a, args: [w, x, y, z]}]}"),
			[]forecast.Field{field("spec.containers[name=a].args[0]", nil, "w")},
		},
		"guessed key": {
			"lists of custom resources mostly have names",
			wrap("example.com/v1", "Widget", "spec: {parts: [{name: a, m: 1}, {name: b, m: 2}]}"),
			wrap("example.com/v1", "Widget", "spec: {parts: [{name: b, m: 3}]}"),
			[]forecast.Field{field("spec.parts[name=a]", map[string]any{"name": "a", "m": int64(1)}, nil), field("spec.parts[name=b].m", int64(2), int64(3))},
		},
		"annotations": {
			"keys with dots are quoted",
			wrap("v1", "Service", "spec: {selector: {a.b/c: x}}"), wrap("v1", "Service", "spec: {selector: {a.b/c: z}}"),
			[]forecast.Field{field(`spec.selector["a.b/c"]`, "x", "z")},
		},
		"finalizers": {
			"a set has no order",
			"apiVersion: v1\nkind: Service\nmetadata: {name: x, finalizers: [a, b, d]}",
			"apiVersion: v1\nkind: Service\nmetadata: {name: x, finalizers: [c, b, a]}",
			[]forecast.Field{field("metadata.finalizers[2]", "d", nil), field("metadata.finalizers[0]", nil, "c")},
		},
		"what the server keeps": {
			"status and the like are nobody's wish",
			wrap("v1", "Service", "status: {a: 1}"), wrap("v1", "Service", "status: {a: 2}"), nil,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := Compare(manifests(t, c.before), manifests(t, c.after), Options{})
			var fields []forecast.Field
			for _, o := range got.Objects {
				fields = append(fields, o.Fields...)
			}
			if diff := cmp.Diff(c.want, fields); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}
