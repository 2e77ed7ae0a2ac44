package kustomize

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// deepFields are fields of which block YAML is little but blanks: two megabytes.
func deepFields(indent string) string {
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "%sd%d: %s1%s\n", indent, i, strings.Repeat("{a: ", 450), strings.Repeat("}", 450))
	}
	return b.String()
}

// deep gives objects with such fields.
type deep struct{}

func (deep) Inflate(_ context.Context, _ *source.Source, in helm.Inflation) ([]byte, error) {
	return []byte("kind: A\nmetadata: {name: " + in.ReleaseName + "}\n" + deepFields("")), nil
}

// rewritingOf is the work on the kustomization of a folder with a chart.
func rewritingOf(t *testing.T, s setup) *rewriting {
	t.Helper()
	s.files = treetest.Files{"app/charts/web/Chart.yaml": "", "app/charts/web/values.yaml": "a: 1\n"}
	d := newDisk(t.Context(), s.source(t), flags{}, "app/kustomization.yaml", nil)
	d.charts = s.charts
	return &rewriting{disk: d, full: "/tree-0/app/kustomization.yaml", dir: "/tree-0/app", name: "app/kustomization.yaml", mount: d.mounts[0], frame: &frame{}}
}

// TestDeepIsWrittenInOneLine: what is written again is about as long as it was.
func TestDeepIsWrittenInOneLine(t *testing.T) {
	r := rewritingOf(t, setup{charts: deep{}, output: 1 << 20, bytes: 1 << 20})
	if text, err := r.chart(chartEntry{chart: types.HelmChart{Name: "web"}}); err != nil {
		t.Errorf("objects of a chart: %d bytes, %v", len(text), err)
	}
	var inline map[string]any
	if err := r.disk.decode([]byte(deepFields("")), &inline); err != nil {
		t.Fatal(err)
	}
	if text, err := r.mergedValues(types.HelmChart{Name: "web", ValuesInline: inline}, nil); err != nil {
		t.Errorf("values in place: %d bytes, %v", len(text), err)
	}
	s := setup{files: treetest.Files{"app/kustomization.yaml": "helmCharts:\n- name: web\n  valuesInline:\n" + deepFields("    ")}}.source(t)
	if _, text, err := edited(s); err != nil || len(text) > 1<<20 {
		t.Errorf("kustomization: %d bytes, %v", len(text), err)
	}
}

// TestValuesOfChartsAreHeld: each chart has the values in place once more, and what is
// made of them and a file.
func TestValuesOfChartsAreHeld(t *testing.T) {
	r := rewritingOf(t, setup{bytes: 100_000})
	c := types.HelmChart{Name: "web", ValuesInline: map[string]any{"x": strings.Repeat("x", 30_000)}}
	if _, err := r.mergedValues(c, []byte("a: 1\n")); err != nil {
		t.Fatal(err)
	}
	_, err := r.mergedValues(c, []byte("a: 1\n"))
	if much := (*bounded.TooMuch)(nil); !errors.As(err, &much) {
		t.Errorf("got %v", err)
	}
}

// TestChartEndsAtItsBound: what a chart gives is not written to its end first.
func TestChartEndsAtItsBound(t *testing.T) {
	r := rewritingOf(t, setup{charts: &asked{}, output: 10})
	_, err := r.chart(chartEntry{chart: types.HelmChart{Name: "web"}})
	if much := (*bounded.TooMuch)(nil); !errors.As(err, &much) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.disk.ctx = ctx
	if _, err := r.chart(chartEntry{chart: types.HelmChart{Name: "web"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("when the render is over: %v", err)
	}
}

// TestGrownMarksAreCounted: what an annotation says of an origin may be longer than it was.
func TestGrownMarksAreCounted(t *testing.T) {
	s := setup{}.source(t)
	d := newDisk(t.Context(), s, flags{}, "app/kustomization.yaml", nil)
	d.placed["/tree-0/app/1"] = &placed{origin: origin{path: "x", repo: strings.Repeat("r", 1000)}}
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetAnnotations(map[string]string{transformationAnnotation: strings.Repeat("- {path: 1}\n", 20)})
	s.Output = bounded.NewBytes(10_000)
	if much := (*bounded.TooMuch)(nil); !errors.As(d.tidy(object), &much) {
		t.Error("20 origins with a thousand bytes each are no more than 20 numbers")
	}
}

// TestPlacesEndWithTheRender: lists are not looked through once it is over.
func TestPlacesEndWithTheRender(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := newDisk(ctx, setup{files: treetest.Files{"app/a.yaml": configMap + "a\n"}}.source(t), flags{}, "app/kustomization.yaml", nil)
	d.listings = []listing{{full: "/tree-0/app/a.yaml"}}
	if err := d.gather(); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestLongNamesHaveNoPlaces: a name that no object has is not kept, nor what
// kustomizations inside one another make of theirs.
func TestLongNamesHaveNoPlaces(t *testing.T) {
	r := rewritingOf(t, setup{})
	long := strings.Repeat("x", 1<<20)
	r.disk.walk.enter("/tree-0/app", &types.Kustomization{NamePrefix: long}).children = []string{"/tree-0/base"}
	inner := r.disk.walk.enter("/tree-0/base", &types.Kustomization{NamePrefix: long, NameSuffix: "-s"})
	if len(inner.prefix) > 2*longestName || inner.suffix != "-s" {
		t.Errorf("a prefix of %d bytes, the suffix %q", len(inner.prefix), inner.suffix)
	}
	r.generated("ConfigMap", long, r.full, nil)
	r.generated("ConfigMap", "a", r.full, nil)
	r.frame = inner
	r.generated("ConfigMap", "a", r.full, nil)
	if n := len(r.disk.candidates["ConfigMap"]); n != 1 {
		t.Errorf("%d candidates, want the short one", n)
	}
}
