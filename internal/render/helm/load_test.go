package helm

import (
	"errors"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestIgnoreFilesAreBounded: a rule of two bytes takes eighty, and time for each file.
func TestIgnoreFilesAreBounded(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, want string }{
		"Largest": {reason: "as many rules as are read, and much that is told about them", text: strings.Repeat("# why\n\n*.md\n", maxRules)},
		"Rules":   {"more of them", strings.Repeat("a\n", maxRules+1), "it has 1001 rules, more than 1000"},
		"Bytes":   {"a huge file", strings.Repeat("#\n", maxIgnore), "it has more than 64 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			files := chartFiles()
			files["web/.helmignore"] = tc.text
			_, err := New(Options{}).Render(t.Context(), sourceOf(t, files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{}))
			if tc.want == "" {
				if err != nil {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			p := (*gitops.Problem)(nil)
			if !errors.As(err, &p) || !strings.Contains(p.What, tc.want) || p.Where.File != "web/.helmignore" || p.Fix == "" {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestEmptyFilesWeigh: files without content take memory where a chart is kept.
func TestEmptyFilesWeigh(t *testing.T) {
	const files, name = 1000, 200
	ch := &chart.Chart{}
	for range files {
		ch.Raw = append(ch.Raw, &common.File{Name: strings.Repeat("x", name)})
	}
	above := &chart.Chart{}
	above.AddDependency(ch)
	if got := unwritten(above); got < files*(perFile+2*name) {
		t.Errorf("a chart whose dependency has %d files takes %d bytes", files, got)
	}
}
