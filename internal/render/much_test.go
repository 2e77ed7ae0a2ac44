package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestOutputOfAllSources: the same source again gives as much again, and a
// render ends where all of them have more than it may hold.
func TestOutputOfAllSources(t *testing.T) {
	files := treetest.Files{
		"web/Chart.yaml":          "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"web/templates/cm.yaml":   "kind: A\nmetadata: {name: a}\nx: {{ repeat 300000 \"x\" }}\n",
		"plain/a.yaml":            "kind: A\nmetadata: {name: a}\nx: " + strings.Repeat("x", 300_000) + "\n",
		"k/kustomization.yaml":    "resources: [a.yaml]\n",
		"k/a.yaml":                "apiVersion: v1\nkind: A\nmetadata: {name: a}\nx: " + strings.Repeat("x", 300_000) + "\n",
		"last/kustomization.yaml": "resources: [none.yaml]\n",
	}
	for _, path := range []string{"web", "plain", "k"} {
		var sources []v1alpha1.ApplicationSource
		for range 4 {
			sources = append(sources, at(path))
		}
		in := render.Input{App: application("much", append(sources, at("last"))...)}
		for range 5 {
			in.Snapshots = append(in.Snapshots, treetest.Snapshot(repo, rev1, files))
		}
		_, err := process(render.Options{Limits: render.Limits{Output: 1 << 20}}).Application(t.Context(), in)
		if err == nil || !strings.Contains(err.Error(), "all texts together have more than 1048576 bytes") {
			t.Errorf("%s: got %v, and not at the fourth source", path, err)
		}
	}
}

// TestFilesOfAllSources: what is noted of each read is kept, so it is bounded
// for all sources.
func TestFilesOfAllSources(t *testing.T) {
	files := treetest.Files{}
	for i := range 10 {
		files[fmt.Sprintf("plain/%d.yaml", i)] = configMap(fmt.Sprint("a", i), "1")
	}
	var in render.Input
	var sources []v1alpha1.ApplicationSource
	for range 3 {
		sources = append(sources, at("plain"))
		in.Snapshots = append(in.Snapshots, treetest.Snapshot(repo, rev1, files))
	}
	in.App = application("much", sources...)
	_, err := process(render.Options{Limits: render.Limits{Files: 25}}).Application(t.Context(), in)
	if err == nil || !strings.Contains(err.Error(), "more than 25 files") {
		t.Errorf("got %v", err)
	}
	in.App, in.Snapshots = application("much", sources[:2]...), []*gitops.Snapshot{in.Snapshots[0], in.Snapshots[1]}
	if _, err := process(render.Options{Limits: render.Limits{Files: 25}}).Application(t.Context(), in); err != nil {
		t.Errorf("two of them: %v", err)
	}
}

// TestParallelByMemory: a container on a large machine has the processors of
// that, but not the memory.
func TestParallelByMemory(t *testing.T) {
	for name, tc := range map[string]struct {
		reason     string
		there      int64
		processors int
		want       int
	}{
		"Machine":   {"two for each processor", 32 << 30, 4, 8},
		"Container": {"as many as there is memory for", 2 << 30, 64, 4},
		"Little":    {"two, of different projects", 256 << 20, 64, 2},
	} {
		if got := render.Parallel(tc.there, tc.processors); got != tc.want {
			t.Errorf("%s: %s: %d, want %d", name, tc.reason, got, tc.want)
		}
	}
}
