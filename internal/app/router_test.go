package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/dependency"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// applications is a cache of Applications: where each deploys to.
type applications struct {
	client.Reader

	servers map[types.NamespacedName]string
	err     error
}

func (a applications) Get(_ context.Context, name client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	server, ok := a.servers[name]
	if a.err != nil {
		return a.err
	}
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "applications"}, name.Name)
	}
	o.(*v1alpha1.Application).Spec.Destination.Server = server //nolint:forcetypeassert // of Applications alone
	return nil
}

// rung is a queue that keeps who is to be looked at, and when.
type rung struct {
	wake.Queue

	pauses map[string]time.Duration
	// first has the pauses of the first rings.
	first map[string]time.Duration
}

func (q *rung) AddAfter(r reconcile.Request, pause time.Duration) {
	if _, rung := q.pauses[r.String()]; !rung && q.first != nil {
		q.first[r.String()] = pause
	}
	q.pauses[r.String()] = pause
}

// TestWhomLiveChangesWake: the tracking id of an object is what anybody wrote.
func TestWhomLiveChangesWake(t *testing.T) {
	here, theirs := "https://own", "https://theirs"
	victim := map[types.NamespacedName]string{{Namespace: "argocd", Name: "shop"}: here, {Namespace: "team", Name: "shop"}: here}
	cm := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	cases := map[string]struct {
		reason string
		change gitops.Change
		err    error
		want   map[string]time.Duration
	}{
		"own":       {reason: "an object in the destination", change: gitops.Change{Server: here, App: "shop", Key: cm}, want: map[string]time.Duration{"argocd/shop": together}},
		"namespace": {reason: "the same in another namespace", change: gitops.Change{Server: here, App: "team_shop", Key: cm}, want: map[string]time.Duration{"team/shop": together}},
		"elsewhere": {reason: "the name in another cluster", change: gitops.Change{Server: theirs, App: "shop", Key: cm}},
		"uncovered": {reason: "a namespace without Applications of the engine", change: gitops.Change{Server: here, App: "others_shop", Key: cm}},
		"none":      {reason: "an Application that is not there", change: gitops.Change{Server: here, App: "gone", Key: cm}},
		"foreign":   {reason: "what the project does not permit can wait", change: gitops.Change{Server: here, App: "shop", Key: gitops.Key{Kind: "Secret"}}, want: map[string]time.Duration{"argocd/shop": foreignPause}},
		"asked":     {reason: "a kind that it waits for in another cluster", change: gitops.Change{Server: theirs, App: "shop", Asked: true}, want: map[string]time.Duration{"argocd/shop": together}},
		"unknown":   {reason: "before the cache knows, nothing is lost", change: gitops.Change{Server: theirs, App: "shop", Key: cm}, err: &cache.ErrCacheNotStarted{}, want: map[string]time.Duration{"argocd/shop": together}},
		"nobody's":  {reason: "no tracking id at all", change: gitops.Change{Server: here, Key: cm}},
		"dependent": {reason: "who waits for an object of another cluster", change: gitops.Change{Server: theirs, Key: gitops.Key{Kind: "Gate", Name: "g"}}, want: map[string]time.Duration{"argocd/waits": together}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &router{
				reader: applications{servers: victim, err: tc.err}, namespace: "argocd", waits: dependency.NewRegister(), pace: wake.NewPace[types.NamespacedName](paceBurst, paceEvery),
				covers: func(namespace string) bool { return namespace == "argocd" || namespace == "team" },
				whose: func(_ context.Context, app *v1alpha1.Application, c gitops.Change) belonging {
					switch {
					case app.Spec.Destination.Server != c.Server:
						return elsewhere
					case c.Key.Kind == "Secret":
						return foreign
					}
					return granted
				},
			}
			r.waits.Set(types.NamespacedName{Namespace: "argocd", Name: "waits"}, []dependency.Object{{Server: theirs, Key: gitops.Key{Kind: "Gate", Name: "g"}}})
			q := &rung{pauses: map[string]time.Duration{}}
			if err := r.apps.Start(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			r.live(tc.change)
			if tc.want == nil {
				tc.want = map[string]time.Duration{}
			}
			if diff := cmp.Diff(tc.want, q.pauses); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFloodOfADependency has an object change without end that an Application waits
// for: it is looked at soon, and then no more often than for its own objects.
func TestFloodOfADependency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits, gate := types.NamespacedName{Namespace: "argocd", Name: "waits"}, gitops.Key{Kind: "Gate", Name: "g"}
		r := &router{waits: dependency.NewRegister(), pace: wake.NewPace[types.NamespacedName](paceBurst, time.Hour)}
		r.waits.Set(waits, []dependency.Object{{Server: "https://own", Key: gate}})
		q := &rung{pauses: map[string]time.Duration{}, first: map[string]time.Duration{}}
		if err := r.apps.Start(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		for range 2 * paceBurst {
			r.depended("https://own", gate, "")
			time.Sleep(together)
		}
		if first, pause := q.first[waits.String()], q.pauses[waits.String()]; first != together || pause < time.Minute {
			t.Errorf("the first change is looked at after %s, one of many after %s", first, pause)
		}
	})
}

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
		r := &router{readers: readers, sets: setBell{readers: readers}, hostPace: wake.NewPace[types.NamespacedName](wake.FloodBurst, wake.FloodPause)}
		q := &rung{pauses: map[string]time.Duration{}}
		if err := r.sets.bell.Start(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		tell := func(repo string) { r.host(generate.HostEvent{Host: "github", Path: "org/" + repo, PullRequest: true}) }
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
	r := &router{reader: none{}, readers: readers, sets: setBell{readers: readers}, fleetPace: wake.NewPace[string](wake.FloodBurst, wake.FloodPause)}
	q := &rung{pauses: map[string]time.Duration{}}
	if err := r.sets.bell.Start(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	of := func(secret string) gitops.ClusterChange { return gitops.ClusterChange{Secret: secret, Whole: true} }
	for i := range wake.FloodBurst {
		if r.cluster(t.Context(), of("flips")); q.pauses[set.String()] > 0 {
			t.Fatalf("change %d waits %s", i, q.pauses[set.String()])
		}
	}
	for range 1000 {
		r.cluster(t.Context(), of("flips"))
	}
	if pause := q.pauses[set.String()]; pause < wake.FloodPause/2 || pause > wake.FloodPause {
		t.Errorf("a cluster that changes without end is looked at in %s", pause)
	}
	if r.cluster(t.Context(), of("other")); q.pauses[set.String()] > 0 {
		t.Errorf("another cluster waits %s", q.pauses[set.String()])
	}
}
