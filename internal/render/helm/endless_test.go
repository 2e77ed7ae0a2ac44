package helm

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/walk/walktest"
)

func endless(ctx context.Context, ignore string, spec v1alpha1.ApplicationSourceHelm) *source.Source {
	bomb := walktest.Bomb{Deep: 10, Every: "x.txt", Files: map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", ".helmignore": ignore,
	}}
	s := &source.Source{Path: ".", Tree: record.Wrap(ctx, bomb.Snapshot("https://git.example.com/endless"), record.Limits{}), Facts: record.WrapFacts(gitops.Facts{})}
	s.Spec.Helm = &spec
	return s
}

func TestChartsWithoutEnd(t *testing.T) {
	cases := map[string]struct {
		reason, ignore string
		spec           v1alpha1.ApplicationSourceHelm
	}{
		"ignored files": {"files that are left out take the time of the others", "*.txt\n", v1alpha1.ApplicationSourceHelm{}},
		"value files":   {"a pattern looks into every folder", "d*\n", v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"**/values.yaml"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{}).Render(t.Context(), endless(t.Context(), tc.ignore, tc.spec))
			if err == nil || !strings.Contains(err.Error(), "more than 200000 files and folders") || !strings.Contains(err.Error(), "git.example.com/endless") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestAlternativesOfValueFiles: a pattern of many braces is held against a
// name once for each way to read them.
func TestAlternativesOfValueFiles(t *testing.T) {
	tree := treetest.Snapshot("https://git.example.com/r", "1", treetest.Files{"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", strings.Repeat("a", 60): "x: 1\n"})
	s := &source.Source{Path: ".", Tree: record.Wrap(t.Context(), tree, record.Limits{}), Facts: record.WrapFacts(gitops.Facts{})}
	s.Spec.Helm = &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{strings.Repeat("{a,a}", 60) + "?"}}
	_, err := New(Options{}).Render(t.Context(), s)
	if err == nil || !strings.Contains(err.Error(), "alternatives") {
		t.Errorf("got %v", err)
	}
}

func TestLoadingEndsWithTheRender(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := endless(t.Context(), "*.txt\n", v1alpha1.ApplicationSourceHelm{})
	if _, err := New(Options{}).load(ctx, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a chart is loaded for nobody: %v", err)
	}
}
