package generate

import (
	"context"
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestSelectionEnds has a selector of many sets end with the time that they have.
func TestSelectionEnds(t *testing.T) {
	keep := []requirement{newRequirement("name", metav1.LabelSelectorOpIn, []string{"a", "b"})}
	sets := []paramSet{{Params: Params{"name": "a"}}, {Params: Params{"name": "c"}}}
	ctx, cancel := context.WithCancel(t.Context())
	r := &run{ctx: ctx}
	if got, err := r.chosen(sets, keep); err != nil || len(got) != 1 {
		t.Errorf("it keeps %d of the sets, %v; want the one that it names", len(got), err)
	}
	cancel()
	if _, err := r.chosen(sets, keep); !errors.Is(err, context.Canceled) {
		t.Errorf("it goes on when nobody waits: %v", err)
	}
}

// TestPatternsEnd has patterns of Git generators end with the time that they have, and none be longer than a path.
func TestPatternsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newRun(ctx, testGenerator(), specSet(t, fast("generators: []")))
	known := &repo{entries: map[string][]treeEntry{".": {{name: "a.yaml"}}}, folders: map[string][]string{". 1": {"a"}}}
	if got, err := r.matching(known, "*.yaml"); err != nil || len(got) != 1 {
		t.Errorf("it finds %v, %v", got, err)
	}
	if _, err := r.matching(known, strings.Repeat("[[:alpha:]]", 430)); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a pattern that is longer than any path: %v", err)
	}
	cancel()
	if _, err := r.matching(known, "*.yaml"); !errors.Is(err, context.Canceled) {
		t.Errorf("files are matched when nobody waits: %v", err)
	}
	folders := &v1alpha1.GitGenerator{Directories: []v1alpha1.GitDirectoryGeneratorItem{{Path: "*"}}}
	if _, err := r.directoryParams(known, folders); !errors.Is(err, context.Canceled) {
		t.Errorf("folders are matched when nobody waits: %v", err)
	}
}
