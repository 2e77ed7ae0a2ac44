package bridge

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Texts of values that are too large to be read are told as a whole.
func TestLargeValuesAreNotRead(t *testing.T) {
	small, large := "a: 1\nb: 2\n", "a: [\n"+strings.Repeat("1,", bounded.MostValues)+"1]\n"
	if _, _, ok := bothYAML(small, "a: 2\n"); !ok {
		t.Error("small ones are not read")
	}
	if _, _, ok := bothYAML(small, large); ok {
		t.Error("a large one is read")
	}
}

// What a change means is decided by all fields, and not by those that are listed.
func TestFieldsBeyondTheListDecide(t *testing.T) {
	side := func(value string) *v1alpha1.Application {
		app := &v1alpha1.Application{}
		app.Annotations = map[string]string{}
		for i := range 2 * mostFields {
			app.Annotations[fmt.Sprintf("a%d", i)] = value
		}
		app.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/" + value, Path: value}
		return app
	}
	fields := differencesOf(side("a"), side("b"))
	if len(fields) > mostFields+3 {
		t.Errorf("%d fields are listed", len(fields))
	}
	if field, ok := fetched(fields); !ok || !strings.HasPrefix(field, "spec.source.") || !Renders(fields) {
		t.Errorf("another repository is not seen: %q, %t", field, Renders(fields))
	}
	other := side("b")
	other.Spec = side("a").Spec
	if _, ok := fetched(differencesOf(side("a"), other)); ok || Renders(differencesOf(side("a"), other)) {
		t.Error("annotations alone are taken for more")
	}
}

func TestPathsOfAllObjectsAreBounded(t *testing.T) {
	const objects = 100
	side := func(value string) []gitops.Manifest {
		below := map[string]any{}
		for i := range mostFields {
			below[fmt.Sprintf("f%d", i)] = value
		}
		var out []gitops.Manifest
		for i := range objects {
			out = append(out, gitops.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{
				"kind": "X", "metadata": map[string]any{"name": fmt.Sprintf("x%d", i)}, "spec": map[string]any{strings.Repeat("k", 1<<10): below},
			}}})
		}
		return out
	}
	traces := compareObjects(side("a"), side("b"), nil)
	paths, brief := 0, 0
	for _, o := range traces {
		paths += pathsOf(o.Fields)
		if len(o.Fields) == 1 && o.Fields[0].Path == rest {
			brief++
		}
	}
	if len(traces) != objects || brief == 0 || brief == objects || paths > mostAllPaths+objects*len(rest) {
		t.Errorf("of %d objects %d are told in brief, the paths have %d bytes", len(traces), brief, paths)
	}
}
