package difference

import (
	"context"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
)

func TestMain(m *testing.M) {
	jq.Worker()
	os.Exit(m.Run())
}

func sample() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "namespace": "shop"},
		"spec": map[string]any{"replicas": int64(3), "template": map[string]any{"spec": map[string]any{
			"containers": []any{map[string]any{"name": "web", "image": "nginx"}, map[string]any{"name": "proxy", "image": "envoy"}},
		}}},
	}}
}

func FuzzJQ(f *testing.F) {
	for _, seed := range []string{".spec.replicas", ".spec.template.spec.containers[] | select(.name == \"web\")", ")", "repeat(.)", "env.HOME", ".a[", "input", "\"x\" * 100000000", "[range(1e9)]", "[limit(1e8; repeat(\"xxxxxxxx\"))]", "[] | until(false; [., .])", ".spec.template.spec.containers[1:]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseJQ(t.Context(), text)
		if err != nil {
			return
		}
		o := sample()
		_, _ = q.Delete(context.Background(), o.Object)
		_, _ = q.Paths(context.Background(), o.Object)
		if diff := cmp.Diff(sample(), o); diff != "" {
			t.Errorf("%q changed the object (-before +after):\n%s", text, diff)
		}
	})
}

func FuzzPointer(f *testing.F) {
	for _, seed := range []string{"", "/", "/spec/replicas", "/spec/template/spec/containers/-1/image", "/metadata/annotations/a~1b", "~", "/spec/template/spec/containers/9"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pointer string) {
		o := sample()
		copied := runtime.DeepCopyJSON(o.Object)
		ForgetPointer(copied, pointer)
		if diff := cmp.Diff(sample(), o); diff != "" {
			t.Errorf("%q changed the object (-before +after):\n%s", pointer, diff)
		}
	})
}

func FuzzSettings(f *testing.F) {
	f.Add("resource.customizations.ignoreDifferences.apps_Deployment", "jqPathExpressions: [.spec]")
	f.Add("resource.customizations", "apps/Deployment:\n  ignoreDifferences: |\n    jsonPointers: [/spec/replicas]")
	f.Add("resource.compareoptions", "ignoreResourceStatusField: off")
	f.Add("resource.customizations.knownTypeFields.example.com_Widget", "- field: spec.a\n  type: core/v1/PodSpec")
	f.Fuzz(func(_ *testing.T, key, value string) {
		settings, err := ParseSettings(map[string]string{key: value})
		rules, wrong := NewRules("red", v1alpha1.IgnoreDifferences{}, settings)
		if err != nil || wrong != nil {
			return
		}
		live := sample()
		live.Object["status"] = map[string]any{"replicas": int64(1)}
		_, _ = Of(context.Background(), Input{Desired: sample(), Live: live, Rules: rules})
	})
}
