package applicationset

import (
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestReaders(t *testing.T) {
	name := types.NamespacedName{Namespace: "argocd", Name: "addons"}
	set := annotated("")
	repo := gitops.SourceRef{RepoURL: "https://git.example.com/a"}
	change := gitops.RepoChange{Repos: []string{"git.example.com/a"}}
	pulls := &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "org", Repo: "web"}}
	cases := map[string]struct {
		reason          string
		do              func(*Readers)
		clusters, repos int
	}{
		"unknown":   {"nothing was read yet", func(*Readers) {}, 0, 0},
		"expanding": {"a change during the first expansion must not be lost", func(r *Readers) { r.Expanding(set) }, 1, 1},
		"learned": {"only what was read counts", func(r *Readers) {
			r.Expanding(set)
			r.Learn(name, &generate.Expansion{Reads: generate.Reads{Repos: []gitops.SourceRef{repo}}})
		}, 0, 1},
		"again": {"a set may read more than the last time", func(r *Readers) {
			r.Learn(name, &generate.Expansion{Reads: generate.Reads{Clusters: true}})
			r.Expanding(set)
		}, 1, 1},
		"failed": {"it is not known what a failed one would have read", func(r *Readers) { r.Expanding(set); r.Learn(name, nil) }, 1, 0},
		"failed later": {"what was read before a failure counts besides what was known", func(r *Readers) {
			r.Learn(name, &generate.Expansion{Reads: generate.Reads{Repos: []gitops.SourceRef{repo}}})
			r.Expanding(set)
			r.LearnOfFailure(name, &generate.Expansion{Reads: generate.Reads{Reviews: []*v1alpha1.PullRequestGenerator{pulls}}})
		}, 1, 1},
		"forgotten": {"a set that is gone", func(r *Readers) { r.Expanding(set); r.Forget(name) }, 0, 0},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			r := NewReaders()
			c.do(r)
			if got := len(r.OfCluster(gitops.ClusterChange{Whole: true})); got != c.clusters {
				t.Errorf("%s: a cluster concerns %d sets, want %d", c.reason, got, c.clusters)
			}
			if got := len(r.OfRepo(change)); got != c.repos {
				t.Errorf("%s: a repository concerns %d sets, want %d", c.reason, got, c.repos)
			}
		})
	}
}

// TestReadersOfProjects are known although they failed.
func TestReadersOfProjects(t *testing.T) {
	name := types.NamespacedName{Namespace: "argocd", Name: "addons"}
	of := func(project string) *generate.Expansion {
		return &generate.Expansion{Reads: generate.Reads{Projects: []string{project}}}
	}
	r := NewReaders()
	r.Learn(name, of("web"))
	r.LearnOfFailure(name, of("db"))
	for project, want := range map[string]int{"web": 1, "db": 1, "other": 0} {
		if got := r.OfProjects(func(p string) bool { return p == project }); len(got) != want {
			t.Errorf("project %s concerns %v", project, got)
		}
	}
}

func TestReadersOfHost(t *testing.T) {
	set := func(name string) types.NamespacedName { return types.NamespacedName{Namespace: "argocd", Name: name} }
	pulls := func(repo string) generate.Reads {
		return generate.Reads{Reviews: []*v1alpha1.PullRequestGenerator{{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "org", Repo: repo}}}}
	}
	r := NewReaders()
	r.Learn(set("web"), &generate.Expansion{Reads: pulls("web")})
	r.Learn(set("db"), &generate.Expansion{Reads: pulls("db")})
	r.Learn(set("clusters"), &generate.Expansion{Reads: generate.Reads{Clusters: true}})
	event := generate.HostEvent{Host: "github", Path: "org/web", PullRequest: true}
	if got := r.OfHost(event); len(got) != 1 || got[0] != set("web") {
		t.Errorf("the event concerns %v, want the set of that repository alone", got)
	}
	r.LearnOfFailure(set("web"), &generate.Expansion{Reads: pulls("web")})
	if got := len(r.sets[set("web")].Reviews); got != 1 {
		t.Errorf("%d generators are known after the same one failed, want 1", got)
	}
	if got := r.OfHost(event); len(got) != 1 {
		t.Errorf("after a failure the event concerns %v", got)
	}
}

// TestEventsWhileASetExpands are no concern of one that asks other hosts, however
// long it takes: strangers send them.
func TestEventsWhileASetExpands(t *testing.T) {
	github := func(repo string) v1alpha1.ApplicationSetGenerator {
		return v1alpha1.ApplicationSetGenerator{PullRequest: &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "org", Repo: repo}}}
	}
	cases := map[string]struct {
		reason string
		asks   v1alpha1.ApplicationSetGenerator
		before generate.Reads
		want   bool
	}{
		"other kind": {"it asks no host", v1alpha1.ApplicationSetGenerator{List: &v1alpha1.ListGenerator{}}, generate.Reads{}, false},
		"other repo": {"it asks of another repository", github("db"), generate.Reads{}, false},
		"same":       {"it may have asked before the event", github("web"), generate.Reads{}, true},
		"parameter":  {"it is not known yet of which repository it asks", github("{{repo}}"), generate.Reads{}, true},
		"plugin":     {"a plugin may depend on anything", v1alpha1.ApplicationSetGenerator{Plugin: &v1alpha1.PluginGenerator{}}, generate.Reads{}, true},
		"before": {"what it asked the last time counts until it is known what it asks now", github("db"),
			generate.Reads{Reviews: []*v1alpha1.PullRequestGenerator{github("web").PullRequest}}, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r, set := NewReaders(), annotated("")
			set.Spec.Generators = []v1alpha1.ApplicationSetGenerator{c.asks}
			r.Learn(types.NamespacedName{Namespace: set.Namespace, Name: set.Name}, &generate.Expansion{Reads: c.before})
			r.Expanding(set)
			if got := r.OfHost(generate.HostEvent{Host: "github", Path: "org/web", PullRequest: true}); (len(got) == 1) != c.want {
				t.Errorf("%s: the event concerns %v", c.reason, got)
			}
		})
	}
}

func TestSettledSets(t *testing.T) {
	set := &v1alpha1.ApplicationSet{}
	set.Namespace, set.Name, set.UID, set.Generation = "argocd", "addons", "1", 1
	name := types.NamespacedName{Namespace: "argocd", Name: "addons"}
	expand := func(r *Readers) {
		r.Expanding(set)
		r.Learn(name, &generate.Expansion{})
		r.settle(set)
	}
	cases := map[string]struct {
		reason string
		do     func(*Readers, *v1alpha1.ApplicationSet)
		want   bool
	}{
		"new":       {"it was never expanded", func(*Readers, *v1alpha1.ApplicationSet) {}, false},
		"expanded":  {"nothing changed since", func(r *Readers, _ *v1alpha1.ApplicationSet) { expand(r) }, true},
		"stale":     {"a cluster changed since", func(r *Readers, _ *v1alpha1.ApplicationSet) { expand(r); r.Stale(name) }, false},
		"expanding": {"another look began", func(r *Readers, _ *v1alpha1.ApplicationSet) { expand(r); r.Expanding(set) }, false},
		"meanwhile": {"what changed during the expansion may not have been seen", func(r *Readers, _ *v1alpha1.ApplicationSet) {
			r.Expanding(set)
			r.Stale(name)
			r.Learn(name, &generate.Expansion{})
			r.settle(set)
		}, false},
		"edited":    {"its spec changed", func(r *Readers, s *v1alpha1.ApplicationSet) { expand(r); s.Generation = 2 }, false},
		"annotated": {"an annotation may ask for something", func(r *Readers, s *v1alpha1.ApplicationSet) { expand(r); s.Annotations = map[string]string{"a": "b"} }, false},
		"made anew": {"another set has its name", func(r *Readers, s *v1alpha1.ApplicationSet) { expand(r); s.UID = "2" }, false},
		"forgotten": {"it is gone", func(r *Readers, _ *v1alpha1.ApplicationSet) { expand(r); r.Forget(name) }, false},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			r, now := NewReaders(), set.DeepCopy()
			c.do(r, now)
			if got := r.isSettled(now); got != c.want {
				t.Errorf("%s: settled is %v", c.reason, got)
			}
		})
	}
}

// TestReadersAreBounded: a set that reads something else at each failure keeps what
// it read last.
func TestReadersAreBounded(t *testing.T) {
	name := types.NamespacedName{Namespace: "argocd", Name: "addons"}
	r := NewReaders()
	for i := range mostLearned + 10 {
		text := strconv.Itoa(i)
		r.LearnOfFailure(name, &generate.Expansion{Reads: generate.Reads{
			Repos: []gitops.SourceRef{{Revision: text}}, Projects: []string{text}, Reviews: []*v1alpha1.PullRequestGenerator{{Values: map[string]string{"a": text}}},
		}})
	}
	now := r.Of(name)
	if len(now.Repos) != mostLearned || len(now.Projects) != mostLearned || len(now.Reviews) != mostLearned {
		t.Errorf("%d repositories, %d projects and %d generators are kept", len(now.Repos), len(now.Projects), len(now.Reviews))
	}
	if last := now.Projects[mostLearned-1]; last != strconv.Itoa(mostLearned+9) {
		t.Errorf("the last one is %s", last)
	}
}

func TestReadersOfCluster(t *testing.T) {
	name := types.NamespacedName{Namespace: "argocd", Name: "addons"}
	learned := func(reads generate.Reads) func(*Readers) {
		return func(r *Readers) { r.Learn(name, &generate.Expansion{Reads: reads}) }
	}
	tier := generate.Reads{Clusters: true, Keys: []string{"metadata.labels.tier"}}
	label := func(keys ...string) gitops.ClusterChange { return gitops.ClusterChange{Secret: "dev", Keys: keys} }
	cases := map[string]struct {
		reason string
		do     func(*Readers)
		change gitops.ClusterChange
		want   bool
	}{
		"read":    {"a label that the set reads", learned(tier), label("metadata.labels.region", "metadata.labels.tier"), true},
		"unread":  {"labels that it does not read", learned(tier), label("metadata.labels.region", "metadata.annotations.tier"), false},
		"none":    {"credentials are no parameters", learned(tier), label(), false},
		"whole":   {"a cluster is new, or gone", learned(tier), gitops.ClusterChange{Secret: "dev", Whole: true}, true},
		"any":     {"it is not known which keys it reads", learned(generate.Reads{Clusters: true, AnyKey: true}), label("metadata.labels.region"), true},
		"others":  {"the set reads no clusters", learned(generate.Reads{Keys: tier.Keys}), gitops.ClusterChange{Whole: true}, false},
		"failed":  {"what comes after a failure is not known", func(r *Readers) { learned(tier)(r); r.LearnOfFailure(name, nil) }, label("metadata.labels.region"), true},
		"early":   {"nothing is known of the set yet", func(r *Readers) { r.Learn(name, nil) }, label("metadata.labels.region"), true},
		"mended":  {"after a failure it is known again", func(r *Readers) { r.LearnOfFailure(name, nil); learned(tier)(r) }, label("metadata.labels.region"), false},
		"running": {"a change during an expansion must not be lost", func(r *Readers) { learned(tier)(r); r.Expanding(annotated("")) }, label("metadata.labels.region"), true},
	}
	for label, c := range cases {
		r := NewReaders()
		c.do(r)
		if got := len(r.OfCluster(c.change)) == 1; got != c.want {
			t.Errorf("%s: %s: it concerns the set: %v, want %v", label, c.reason, got, c.want)
		}
	}
}
