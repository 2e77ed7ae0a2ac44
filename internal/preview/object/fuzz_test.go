package object

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func FuzzCompare(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"spec":{"containers":[{"name":"a","image":"x"}]}}`, `{"spec":{"containers":[{"name":"a","image":"y"},{"name":"a"}]}}`},
		{`{"data":{"a":"YQ=="}}`, `{"stringData":{"a":"a"}}`},
		{`{"metadata":{"finalizers":["a","a","b"]}}`, `{"metadata":{"finalizers":["b","a"]}}`},
		{`{"spec":{"ports":[{"port":1},{"port":1}],"x":[1,null,[2]]}}`, `{"spec":{"ports":{"a":null},"x":[null,[2],1.0]}}`},
		{`{"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":1}}}]}}`, `{"spec":{"versions":[{"name":"v1","schema":3}]}}`},
	} {
		for kind := range fuzzKinds {
			f.Add(uint8(kind), seed[0], seed[1])
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, a, b string) {
		before, after := fuzzed(kind, a), fuzzed(kind, b)
		if before == nil || after == nil {
			return
		}
		if got := Compare(before, fuzzed(kind, a), Options{}); len(got.Objects)+len(got.Risks)+len(got.Images) > 0 {
			t.Errorf("an object differs from itself: %+v", got)
		}
		c := &comparing{schemas: newSchemas(before, after)}
		x, y := c.prepare(before[0]), c.prepare(after[0])
		want := canon(y.shape, x.object) != canon(y.shape, y.object)
		got := Compare(before, after, Options{})
		if (len(got.Objects) > 0) != want {
			t.Errorf("values differ: %v, but Compare says %+v", want, got.Objects)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(got, Compare(fuzzed(kind, a), fuzzed(kind, b), Options{})); diff != "" {
			t.Errorf("two answers: %s", diff)
		}
	})
}

var fuzzKinds = [][2]string{
	{"v1", "Pod"}, {"v1", "Secret"}, {"v1", "Service"}, {"apps/v1", "StatefulSet"}, {"batch/v1", "Job"},
	{"apiextensions.k8s.io/v1", "CustomResourceDefinition"}, {"e.com/v1", "Widget"}, {"v1", "PersistentVolumeClaim"},
}

func fuzzed(kind uint8, text string) []gitops.Manifest {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil || object == nil {
		return nil
	}
	k := fuzzKinds[int(kind)%len(fuzzKinds)]
	object["apiVersion"], object["kind"] = k[0], k[1]
	return []gitops.Manifest{{Object: &unstructured.Unstructured{Object: object}}}
}

func TestHugeAndDeep(t *testing.T) {
	deep := func(leaf any) map[string]any {
		for range 3000 {
			leaf = map[string]any{"a": []any{leaf}}
		}
		return map[string]any{"apiVersion": "e.com/v1", "kind": "W", "metadata": map[string]any{"name": "x"}, "spec": leaf}
	}
	wide := func(last string) map[string]any {
		var list []any
		for i := range 5000 {
			list = append(list, fmt.Sprint(i, last))
		}
		return map[string]any{"apiVersion": "e.com/v1", "kind": "W", "metadata": map[string]any{"name": "x"}, "spec": map[string]any{"l": list}}
	}
	for name, c := range map[string][2]map[string]any{"deep": {deep("a"), deep("b")}, "wide": {wide("a"), wide("b")}} {
		t.Run(name, func(t *testing.T) {
			got := Compare([]gitops.Manifest{{Object: &unstructured.Unstructured{Object: c[0]}}}, []gitops.Manifest{{Object: &unstructured.Unstructured{Object: c[1]}}}, Options{})
			if len(got.Objects) != 1 || len(got.Objects[0].Fields) == 0 || len(got.Objects[0].Fields) > maxFields {
				t.Errorf("got %d objects", len(got.Objects))
			}
			text, err := json.Marshal(got)
			if err != nil || len(text) > 1<<20 {
				t.Errorf("%d bytes, %v", len(text), err)
			}
		})
	}
}

// BenchmarkFleet compares what 500 applications of 4 objects have, each with
// one change.
func BenchmarkFleet(b *testing.B) {
	var before, after [][]gitops.Manifest
	for i := range 500 {
		text := func(tag string) string {
			return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d%d}\nspec: {template: {spec: {containers: [{name: a, image: 'a:%s', env: [{name: A, value: b}], resources: {limits: {cpu: 100m}}}]}}}\n---\n", i, tag) +
				"apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: c}\ndata: {a: YWJjZGVmZ2g=}"
		}
		before, after = append(before, manifests(b, text("1"))), append(after, manifests(b, text("2")))
	}
	b.ResetTimer()
	for range b.N {
		start := time.Now()
		for i := range before {
			if got := Compare(before[i], after[i], Options{Namespace: "ns"}); len(got.Objects) != 1 {
				b.Fatalf("got %d changes, want 1", len(got.Objects))
			}
		}
		b.ReportMetric(time.Since(start).Seconds(), "s/fleet")
	}
}
