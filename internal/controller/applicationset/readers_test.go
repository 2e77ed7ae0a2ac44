package applicationset

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestReaders(t *testing.T) {
	name := types.NamespacedName{Namespace: "argocd", Name: "addons"}
	repo := gitops.SourceRef{RepoURL: "https://git.example.com/a"}
	change := gitops.RepoChange{RepoURLs: []string{repo.RepoURL}}
	cases := map[string]struct {
		reason          string
		do              func(*Readers)
		clusters, repos int
	}{
		"unknown":   {"nothing was read yet", func(*Readers) {}, 0, 0},
		"expanding": {"a change during the first expansion must not be lost", func(r *Readers) { r.Expanding(name) }, 1, 1},
		"learned": {"only what was read counts", func(r *Readers) {
			r.Expanding(name)
			r.Learn(name, &generate.Expansion{Reads: generate.Reads{Repos: []gitops.SourceRef{repo}}})
		}, 0, 1},
		"again": {"a set may read more than the last time", func(r *Readers) {
			r.Learn(name, &generate.Expansion{Reads: generate.Reads{Clusters: true}})
			r.Expanding(name)
		}, 1, 1},
		"failed":    {"it is not known what a failed one would have read", func(r *Readers) { r.Expanding(name); r.Learn(name, nil) }, 1, 0},
		"forgotten": {"a set that is gone", func(r *Readers) { r.Expanding(name); r.Forget(name) }, 0, 0},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			r := NewReaders()
			c.do(r)
			if got := len(r.OfClusters()); got != c.clusters {
				t.Errorf("%s: a cluster concerns %d sets, want %d", c.reason, got, c.clusters)
			}
			if got := len(r.OfRepo(change)); got != c.repos {
				t.Errorf("%s: a repository concerns %d sets, want %d", c.reason, got, c.repos)
			}
		})
	}
}
