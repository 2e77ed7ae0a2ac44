package preview_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/preview"
)

// BenchmarkExpand expands sets for 50 clusters; nothing is rendered.
func BenchmarkExpand(b *testing.B) {
	for _, sets := range []int{10, 100, 500} {
		b.Run(strconv.Itoa(sets*50), func(b *testing.B) {
			side := manySets(b, sets)
			for b.Loop() {
				if _, err := preview.Expand(b.Context(), side, preview.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLint renders everything anew, from a chart that is one ConfigMap.
func BenchmarkLint(b *testing.B) {
	side := manySets(b, 100)
	for b.Loop() {
		if _, err := preview.Lint(b.Context(), side, preview.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMake previews what changes no application, and what changes all.
func BenchmarkMake(b *testing.B) {
	side := manySets(b, 100)
	other := side
	other.Roster.Clusters = slices.Clone(side.Roster.Clusters)
	for i := range other.Roster.Clusters {
		other.Roster.Clusters[i].Annotations = map[string]string{"region": "us"}
	}
	for name, head := range map[string]preview.Side{"None": side, "All": other} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := preview.Make(b.Context(), side, head, preview.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func manySets(b *testing.B, sets int) preview.Side {
	b.Helper()
	files := web()
	for i := range sets {
		files[fmt.Sprintf("sets/%d.yaml", i)] = setOf(fmt.Sprintf("web-%d", i), `web: "on"`)
	}
	files["charts/web/templates/deployment.yaml"] = configMap("web", "{{ .Values.replicas }}")
	names := []string{"hub"}
	for i := range 50 {
		names = append(names, fmt.Sprintf("c-%d/web=on,env=prod,@region=eu-%d", i, i))
	}
	dir := b.TempDir()
	writeFiles(b, dir, files)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "sets"}} {
		gitIn(b, dir, args...)
	}
	o, err := offline.Open(b.Context(), offline.Config{Repo: dir, NoFetch: true, CacheDir: b.TempDir(), RepoURLs: map[string]string{repoURL: "."}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(o.Close)
	side, err := o.Side(b.Context(), "HEAD", clusters(names...), "main")
	if err != nil {
		b.Fatal(err)
	}
	return side
}
