package route

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// none is a cache without Applications.
type none struct{ client.Reader }

func (none) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// TestFloodOfEvents has strangers tell of a repository without end: a set that asks
// for it is looked at, at once and then after a pause, and others not at all.
func TestFloodOfEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readers := applicationset.NewReaders()
		name := func(name string) types.NamespacedName {
			return types.NamespacedName{Namespace: "argocd", Name: name}
		}
		pulls := func(repo string) *generate.Expansion {
			return &generate.Expansion{Reads: generate.Reads{Reviews: []*v1alpha1.PullRequestGenerator{{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "org", Repo: repo}}}}}
		}
		readers.Learn(name("web"), pulls("web"))
		readers.Learn(name("db"), pulls("db"))
		readers.Expanding(&v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "busy"}})
		r := New(Options{Readers: readers, Flood: wake.FloodPause})
		q := &rung{pauses: map[string]time.Duration{}}
		if err := r.Sets.Source().Start(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		tell := func(repo string) { r.Host(generate.HostEvent{Host: "github", Path: "org/" + repo, PullRequest: true}) }
		for i := range wake.FloodBurst {
			if tell("web"); q.pauses["argocd/web"] > 0 {
				t.Fatalf("event %d waits %s", i, q.pauses["argocd/web"])
			}
		}
		for range 1000 {
			tell("web")
		}
		if pause := q.pauses["argocd/web"]; pause != wake.FloodPause {
			t.Errorf("after events without end the set is looked at in %s", pause)
		}
		if len(q.pauses) != 1 {
			t.Errorf("others are looked at as well: %v", q.pauses)
		}
		if tell("db"); q.pauses["argocd/db"] > 0 {
			t.Errorf("another set waits %s", q.pauses["argocd/db"])
		}
	})
}

// TestFloodOfOneCluster has what is said of a cluster change without end: what reads
// clusters is expanded at once, and then after a pause, and at once for another one.
func TestFloodOfOneCluster(t *testing.T) {
	readers := applicationset.NewReaders()
	set := types.NamespacedName{Namespace: "argocd", Name: "fleet"}
	readers.Learn(set, &generate.Expansion{Reads: generate.Reads{Clusters: true}})
	r := New(Options{Reader: none{}, Readers: readers, Flood: wake.FloodPause})
	q := &rung{pauses: map[string]time.Duration{}}
	if err := r.Sets.Source().Start(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	of := func(secret string) gitops.ClusterChange { return gitops.ClusterChange{Secret: secret, Whole: true} }
	for i := range wake.FloodBurst {
		if r.Cluster(t.Context(), of("flips")); q.pauses[set.String()] > 0 {
			t.Fatalf("change %d waits %s", i, q.pauses[set.String()])
		}
	}
	for range 1000 {
		r.Cluster(t.Context(), of("flips"))
	}
	if pause := q.pauses[set.String()]; pause < wake.FloodPause/2 || pause > wake.FloodPause {
		t.Errorf("a cluster that changes without end is looked at in %s", pause)
	}
	if r.Cluster(t.Context(), of("other")); q.pauses[set.String()] > 0 {
		t.Errorf("another cluster waits %s", q.pauses[set.String()])
	}
}
