package apply

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// faulty is a cluster that panics whatever it is asked.
type faulty struct{ Cluster }

// TestRehearsalPanics: an update whose dry run met a fault is refused before
// anything of its wave is written.
func TestRehearsalPanics(t *testing.T) {
	var w gitops.Wave
	for _, name := range []string{"a", "b"} {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}}}
		key := gitops.KeyOf(o)
		w.Actions = append(w.Actions, gitops.Action{Verb: gitops.Update, Key: key, Live: &gitops.Live{Key: key}, Desired: &gitops.Manifest{Object: o}})
	}
	results := New(Options{}).Wave(t.Context(), faulty{}, w)
	if len(results) != 2 {
		t.Fatalf("%d results of two updates", len(results))
	}
	for _, r := range results {
		var broke *crew.Panic
		if !errors.As(r.Err, &broke) || r.Status != syncFailed || r.Message == "" {
			t.Errorf("%s: %+v", r.Key, r)
		}
	}
}
