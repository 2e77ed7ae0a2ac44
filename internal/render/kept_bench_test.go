package render_test

import (
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/disk"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// BenchmarkKept tells what the second look at an application costs: answered
// from memory, from disk by a new process, by its digest alone, or by what
// its spec names; each beside a cold render in the same run.
func BenchmarkKept(b *testing.B) {
	files, plain, charts := fleet(200)
	s := treetest.Snapshot(repo, rev1, files)
	next := treetest.Snapshot(repo, rev2, files.With("elsewhere.md", "x"))
	for _, c := range []*gitops.Snapshot{s, next} { // the test's trees hash once; the real ones have hashes
		_, _ = c.Tree.Digest(".")
	}
	for name, apps := range map[string][]*v1alpha1.Application{"Directory": plain, "Helm": charts} {
		store := disk.Open(b.TempDir(), 0, nil)
		renderAll(b, process(render.Options{Store: store}), apps, s)
		cold := coldTime(b, apps, s)
		fresh := process(render.Options{}) // has nothing to go by but the specs
		warm := process(render.Options{Store: store})
		renderAll(b, warm, apps, s)
		for how, look := range map[string]func(b *testing.B){
			"Memory": func(b *testing.B) { renderAll(b, warm, apps, s) },
			"Disk":   func(b *testing.B) { renderAll(b, process(render.Options{Store: store}), apps, next) },
			"Digest": func(b *testing.B) {
				r := process(render.Options{Store: store})
				each(b, apps, func(app *v1alpha1.Application) bool {
					_, ok := r.Digest(b.Context(), render.Input{App: app, Snapshots: []*gitops.Snapshot{next}})
					return ok
				})
			},
			"Unaffected": func(b *testing.B) {
				each(b, apps, func(app *v1alpha1.Application) bool {
					return fresh.Unaffected(b.Context(), render.Input{App: app, Snapshots: []*gitops.Snapshot{s}}, render.Input{App: app, Snapshots: []*gitops.Snapshot{next}})
				})
			},
		} {
			b.Run(name+"/"+how, func(b *testing.B) {
				for b.Loop() {
					look(b)
				}
				perApp := float64(b.Elapsed().Nanoseconds()) / float64(b.N*len(apps))
				b.ReportMetric(perApp/1000, "µs/app")
				b.ReportMetric(perApp/float64(cold.Nanoseconds()), "of-cold")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func each(b *testing.B, apps []*v1alpha1.Application, ok func(*v1alpha1.Application) bool) {
	b.Helper()
	for _, app := range apps {
		if !ok(app) {
			b.Fatal("it is not answered")
		}
	}
}

// coldTime is the time of one render without anything kept: the best of three.
func coldTime(b *testing.B, apps []*v1alpha1.Application, s *gitops.Snapshot) time.Duration {
	b.Helper()
	best := time.Duration(0)
	for range 3 {
		r := process(render.Options{})
		begun := time.Now()
		renderAll(b, r, apps, s)
		if took := time.Since(begun) / time.Duration(len(apps)); best == 0 || took < best {
			best = took
		}
	}
	return best
}
