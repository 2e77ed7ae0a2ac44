package helm

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// aliased is a chart that has another one by so many names, and that one another, down
// to the last.
func aliased(levels, names int, values string) treetest.Files {
	files := chartFiles()
	dir := "web"
	for level := range levels {
		var b strings.Builder
		fmt.Fprintf(&b, "apiVersion: v2\nname: c%d\nversion: 1.0.0\ndependencies:\n", level)
		for i := range names {
			fmt.Fprintf(&b, "- {name: c%d, version: 1.0.0, alias: a%d}\n", level+1, i)
		}
		files[dir+"/Chart.yaml"] = b.String()
		dir += fmt.Sprintf("/charts/c%d", level+1)
	}
	files[dir+"/Chart.yaml"] = fmt.Sprintf("apiVersion: v2\nname: c%d\nversion: 1.0.0\n", levels)
	files[dir+"/values.yaml"] = values
	return files
}

// TestImportsAreShallow: a path is a map for each of its parts.
func TestImportsAreShallow(t *testing.T) {
	deep := strings.Repeat("a.", 1<<19) + "a"
	for name, c := range map[string]struct {
		list    string
		refused bool
	}{
		"Usual":  {"[data, {child: a.b, parent: global.c}]", false},
		"Parent": {"[{child: a, parent: " + deep + "}]", true},
		"Child":  {"[{child: " + deep + ", parent: a}]", true},
		"Export": {"[" + deep + "]", true},
	} {
		t.Run(name, func(t *testing.T) {
			files := chartFiles()
			files["web/Chart.yaml"] = "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: db, version: 1.0.0, import-values: " + c.list + "}]\n"
			files["web/charts/db/Chart.yaml"] = "apiVersion: v2\nname: db\nversion: 1.0.0\n"
			files["web/charts/db/values.yaml"] = "a: {b: {c: 1}}\nexports: {data: {d: 1}}\n"
			_, err := New(Options{}).Render(t.Context(), sourceOf(t, files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{}))
			if (err != nil) != c.refused || c.refused && !strings.Contains(err.Error(), "more than 100 others") {
				t.Errorf("%.300v", err)
			}
		})
	}
}

// TestChartsAreCountedAsOftenAsTheyAreUsed: names of charts inside one another multiply,
// and each has the values of the chart.
func TestChartsAreCountedAsOftenAsTheyAreUsed(t *testing.T) {
	for name, c := range map[string]struct {
		reason  string
		files   treetest.Files
		refused bool
	}{
		"Usual":  {"a chart by ten names", aliased(1, 10, "a: 1\n"), false},
		"Levels": {"charts inside one another, each by some names", aliased(4, 30, "a: 1\n"), true},
		"Values": {"large values by many names", aliased(1, 900, "a: ["+strings.Repeat("1,", 50_000)+"1]\n"), true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{}).Render(t.Context(), sourceOf(t, c.files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{}))
			if much := (*bounded.TooMuch)(nil); errors.As(err, &much) != c.refused || !c.refused && err != nil {
				t.Errorf("%s: %.300v", c.reason, err)
			}
			_, err = New(Options{}).Explain(t.Context(), sourceOf(t, c.files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{}))
			if much := (*bounded.TooMuch)(nil); errors.As(err, &much) != c.refused {
				t.Errorf("%s, as it is explained: %.300v", c.reason, err)
			}
		})
	}
}
