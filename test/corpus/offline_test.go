package corpus

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestExpansion holds the expansion of each repository's sets, offline and found from its bootstrap manifests alone, to
// what Argo CD makes of them.
func TestExpansion(t *testing.T) {
	root := sharedRoot(t)
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			w, err := newWorld(t.Context(), s, root, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			w.checkGiven(t)
			hub, err := w.expand(t.Context(), w.all[:1], nil)
			if err != nil {
				t.Fatal(err)
			}
			full, err := w.expand(t.Context(), w.all, hub.apps)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("all on: %d sets, %d failed, %d applications, %d rejected, %d twice, %d charts, %d broken, %d switches", len(full.sets), len(full.failed),
				len(full.apps), len(full.rejected), len(full.twice), len(full.charts), len(full.broken), len(full.switches))
			for _, n := range sorted(full.broken) {
				t.Logf("broken %s: %v", n, full.broken[n])
			}
			for _, n := range sorted(full.rejected) {
				t.Logf("rejected %s: %v", n, full.rejected[n])
			}
			for _, n := range sorted(full.twice) {
				t.Logf("twice %s: %s %v", n, full.owner[n], full.twice[n])
			}
		})
	}
}

// expectation is an entry of the conformance data.
type expectation struct {
	Source         string `json:"source"`
	ApplicationSet string `json:"applicationSet"`
	Applications   []struct {
		Metadata struct{ Name string } `json:"metadata"`
	} `json:"applications"`
}

// expected lists the Applications that Argo CD makes of the sets that a closure has, as far as the data tells.
func (w *world) expected(c *closure) (names []string, sets map[string]bool, err error) {
	text, err := os.ReadFile(filepath.Join(w.root, "conformance", "applicationset", w.name, "expected.yaml"))
	if err != nil {
		return nil, nil, err
	}
	var all []expectation
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, nil, err
	}
	sets = map[string]bool{}
	for _, e := range all {
		file, ok := c.files[e.ApplicationSet]
		if !ok || file != e.Source && file != w.name+"/"+e.Source {
			continue
		}
		sets[e.ApplicationSet] = true
		for _, a := range e.Applications {
			names = append(names, a.Metadata.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), sets, nil // some names come of two sets
}

func (w *world) checkGiven(t *testing.T) {
	t.Helper()
	hub, err := w.expand(t.Context(), w.given[:1], nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.expand(t.Context(), w.given, hub.apps)
	if err != nil {
		t.Fatal(err)
	}
	want, sets, err := w.expected(c)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range c.apps {
		if sets[c.owner[name]] && hub.apps[name] == nil || slices.Contains(want, name) {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	t.Logf("as given: %d sets of %d in the data, %d applications", len(sets), len(c.sets), len(got))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("applications differ from those of Argo CD (-want +got):\n%s", d)
	}
}
