package render_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

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

// TestBytesOfAllSources: each source has copies of its own of what it reads.
func TestBytesOfAllSources(t *testing.T) {
	large := "# " + strings.Repeat("x", 300_000) + "\n"
	files := treetest.Files{
		"plain/a.yaml":          configMap("a", "1") + large,
		"web/Chart.yaml":        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"web/templates/cm.yaml": configMap("a", "1") + large,
		"k/kustomization.yaml":  "configMapGenerator: [{name: a, files: [a.txt]}]\n",
		"k/a.txt":               large,
	}
	for _, path := range []string{"plain", "web", "k"} {
		for n, want := range map[int]bool{1: true, 4: false} {
			var in render.Input
			var sources []v1alpha1.ApplicationSource
			for range n {
				sources = append(sources, at(path))
				in.Snapshots = append(in.Snapshots, treetest.Snapshot(repo, rev1, files.With(path+"/own", strconv.Itoa(len(sources)))))
			}
			in.App = application("much", sources...)
			_, err := process(render.Options{Limits: render.Limits{Bytes: 1 << 20}}).Application(t.Context(), in)
			if want && err != nil || !want && (err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") || !strings.Contains(err.Error(), path+"/")) {
				t.Errorf("%s %d times: %v", path, n, err)
			}
		}
	}
}

// TestFilledInTextsAreBounded: a variable of some kilobytes may stand in a text as
// often as there is room for its name.
func TestFilledInTextsAreBounded(t *testing.T) {
	var facts gitops.Facts
	for i := range 1000 {
		facts.APIVersions = append(facts.APIVersions, fmt.Sprintf("%s.example.com/v%03d", strings.Repeat("x", 90), i))
	}
	files := treetest.Files{
		"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "k/kustomization.yaml": "resources: []\n", "j/a.jsonnet": "[]",
	}
	helm := func(h v1alpha1.ApplicationSourceHelm) v1alpha1.ApplicationSource {
		s := at("web")
		s.Helm = &h
		return s
	}
	kustomize := func(k v1alpha1.ApplicationSourceKustomize) v1alpha1.ApplicationSource {
		s := at("k")
		s.Kustomize = &k
		return s
	}
	jsonnet := func(j v1alpha1.ApplicationSourceJsonnet) v1alpha1.ApplicationSource {
		s := at("j")
		s.Directory = &v1alpha1.ApplicationSourceDirectory{Jsonnet: j}
		return s
	}
	once := func(n int) string { return strings.Repeat("$KUBE_API_VERSIONS", n) }
	vars := []v1alpha1.JsonnetVar{{Name: "a", Value: once(12)}}
	cases := map[string]struct {
		source v1alpha1.ApplicationSource
		want   string
	}{
		"Parameter":     {helm(v1alpha1.ApplicationSourceHelm{Parameters: []v1alpha1.HelmParameter{{Name: "a", Value: once(12)}}}), "cannot set helm parameter a"},
		"FileParameter": {helm(v1alpha1.ApplicationSourceHelm{FileParameters: []v1alpha1.HelmFileParameter{{Name: "a", Path: once(12)}}}), "variables have more"},
		"ValueFile":     {helm(v1alpha1.ApplicationSourceHelm{ValueFiles: []string{once(12)}}), "variables have more"},
		"Address":       {helm(v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"https://h/" + once(12)}}), "variables have more"},
		"Image":         {kustomize(v1alpha1.ApplicationSourceKustomize{Images: v1alpha1.KustomizeImages{v1alpha1.KustomizeImage("a:" + once(12))}}), "variables have more"},
		"Label":         {kustomize(v1alpha1.ApplicationSourceKustomize{CommonLabels: map[string]string{"a": once(12)}}), "variables have more"},
		"Annotation":    {kustomize(v1alpha1.ApplicationSourceKustomize{CommonAnnotations: map[string]string{"a": once(12)}, CommonAnnotationsEnvsubst: true}), "variables have more"},
		"Replicas":      {kustomize(v1alpha1.ApplicationSourceKustomize{Replicas: v1alpha1.KustomizeReplicas{{Name: "a", Count: intstr.FromString(once(12))}}}), "variables have more"},
		"ExtVar":        {jsonnet(v1alpha1.ApplicationSourceJsonnet{ExtVars: vars}), "variables have more"},
		"TLA":           {jsonnet(v1alpha1.ApplicationSourceJsonnet{TLAs: vars}), "variables have more"},
		"Together": {helm(v1alpha1.ApplicationSourceHelm{Parameters: []v1alpha1.HelmParameter{
			{Name: "a", Value: once(5)}, {Name: "b", Value: once(5)}, {Name: "c", Value: once(5)},
		}}), "all texts together have more than 1048576 bytes"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := render.Input{App: application("filled", tc.source), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}, Facts: facts}
			_, err := process(render.Options{Limits: render.Limits{Bytes: 1 << 20}}).Application(t.Context(), in)
			if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 1000 {
				t.Errorf("got %.1000v", err)
			}
		})
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
		"Container": {"as many as there is memory for", 2 << 30, 64, 3},
		"Little":    {"two, of different projects", 256 << 20, 64, 2},
	} {
		if got := render.Parallel(tc.there, tc.processors); got != tc.want {
			t.Errorf("%s: %s: %d, want %d", name, tc.reason, got, tc.want)
		}
	}
}
