package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// BenchmarkPages is what answers cost, of a fleet that stands still and of one
// of which two rows change between two answers, as do 200 a second beneath 50 readers.
func BenchmarkPages(b *testing.B) {
	e, err := newEstate(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = e.close() }()
	h := e.handler()
	for _, p := range append([]page{lists}, others()...) {
		for name, changes := range map[string]int{"still": 0, "changing": 2} {
			b.Run(p.name+"/"+name, func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					for range changes {
						n := int(changesMade.Add(1))
						row := n * 7919 % listedApps
						e.index.Put(view.RowOf(listedApp(row, n), listedCluster(row)))
					}
					r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, api.Prefix+p.paths[i%len(p.paths)], nil)
					r.Header.Set(reader, "reader-0")
					r.Header.Set("Accept-Encoding", "gzip")
					w := httptest.NewRecorder()
					if h.ServeHTTP(w, r); w.Code != http.StatusOK {
						b.Fatal(r.URL, w.Code, w.Body)
					}
				}
			})
		}
	}
}
