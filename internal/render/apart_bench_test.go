package render_test

import (
	"fmt"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/worker"
)

func BenchmarkRenderApart(b *testing.B) {
	files := monorepo().With("many/a.yaml", workload("m"))
	for name, r := range map[string]*render.Renderer{"Here": render.New(render.Options{CacheBytes: -1}, testTools(nil, nil, nil)...), "Apart": apartly(b, render.Options{CacheBytes: -1}, nil, worker.Limits{})} {
		for _, path := range []string{"plain", "web", "overlay", "many"} {
			b.Run(path+"/"+name, func(b *testing.B) {
				in := render.Input{App: application("x", at(path)), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}}
				for i := 0; b.Loop(); i++ {
					in.App.Name = fmt.Sprint("x", i)
					if _, err := r.Application(b.Context(), in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
