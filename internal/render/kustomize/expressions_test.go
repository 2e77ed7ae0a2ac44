package kustomize

import (
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// TestLargeExpressionsAreNotPlain: they are compiled and matched in a process
// that can be stopped.
func TestLargeExpressionsAreNotPlain(t *testing.T) {
	target := func(name string) *types.Kustomization {
		return &types.Kustomization{Patches: []types.Patch{{Patch: "a", Target: &types.Selector{ResId: resid.ResId{Name: name}}}}}
	}
	text := []byte("kind: Kustomization\n")
	for name, c := range map[string]struct {
		reason string
		k      *types.Kustomization
		read   int
		plain  bool
	}{
		"name":    {"as people write them", target("web-.*"), plainBytes / 2, true},
		"exact":   {"one that is no pattern", target(strings.Repeat("a", 253)), plainBytes / 2, true},
		"repeats": {"few characters repeat much", target(strings.Repeat(".{0,1000}", 10)), 0, false},
		"broken":  {"the library tells", target("("), 0, false},
		"closed":  {"by a sign alone", &types.Kustomization{Images: []types.Image{{Name: "a)"}}}, 0, false},
		"much":    {"what is held against it is long", target(strings.Repeat(".*", 1000)), plainBytes / 2, false},
		"image":   {"its name is an expression, too", &types.Kustomization{Images: []types.Image{{Name: strings.Repeat("a?", 20_000)}}}, 0, false},
		"images":  {"as people write them", &types.Kustomization{Images: []types.Image{{Name: "ghcr.io/a/b-c"}}}, plainBytes / 2, true},
	} {
		s := &sum{bytes: c.read}
		if odd := s.kustomization(c.k, text); (odd == "") != c.plain {
			t.Errorf("%s: %s: %q", name, c.reason, odd)
		}
	}
}
