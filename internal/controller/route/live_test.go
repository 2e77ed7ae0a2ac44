package route

import (
	"context"
	"errors"
	"slices"
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
	"github.com/causeway-gitops/causeway/internal/controller/wake"
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

// byServer resolves a destination to a cluster of that address.
func byServer(d v1alpha1.ApplicationDestination) (gitops.Cluster, error) {
	if d.Server == "" {
		return gitops.Cluster{}, errors.New("there is no such cluster")
	}
	return gitops.Cluster{Name: d.Name, Server: d.Server}, nil
}

func ofNobody(string) []gitops.Cluster { return nil }

func argocdAnd(others ...string) func(string) bool {
	return func(namespace string) bool { return namespace == "argocd" || slices.Contains(others, namespace) }
}

// without is a project that permits all but one kind.
func without(kind string) func(context.Context, string) (*v1alpha1.AppProject, error) {
	return func(_ context.Context, name string) (*v1alpha1.AppProject, error) {
		p := &v1alpha1.AppProject{}
		p.Name = name
		p.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}
		p.Spec.NamespaceResourceBlacklist = []metav1.GroupKind{{Kind: kind}}
		return p, nil
	}
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
		"own":       {reason: "an object in the destination", change: gitops.Change{Server: here, App: "shop", Key: cm}, want: map[string]time.Duration{"argocd/shop": Together}},
		"namespace": {reason: "the same in another namespace", change: gitops.Change{Server: here, App: "team_shop", Key: cm}, want: map[string]time.Duration{"team/shop": Together}},
		"elsewhere": {reason: "the name in another cluster", change: gitops.Change{Server: theirs, App: "shop", Key: cm}},
		"uncovered": {reason: "a namespace without Applications of the engine", change: gitops.Change{Server: here, App: "others_shop", Key: cm}},
		"none":      {reason: "an Application that is not there", change: gitops.Change{Server: here, App: "gone", Key: cm}},
		"foreign":   {reason: "what the project does not permit can wait", change: gitops.Change{Server: here, App: "shop", Key: gitops.Key{Kind: "Secret", Namespace: "shop", Name: "a"}}, want: map[string]time.Duration{"argocd/shop": foreignPause}},
		"asked":     {reason: "a kind that it waits for in another cluster", change: gitops.Change{Server: theirs, App: "shop", Asked: true}, want: map[string]time.Duration{"argocd/shop": Together}},
		"unknown":   {reason: "before the cache knows, nothing is lost", change: gitops.Change{Server: theirs, App: "shop", Key: cm}, err: &cache.ErrCacheNotStarted{}, want: map[string]time.Duration{"argocd/shop": Together}},
		"nobody's":  {reason: "no tracking id at all", change: gitops.Change{Server: here, Key: cm}},
		"dependent": {reason: "who waits for an object of another cluster", change: gitops.Change{Server: theirs, Key: gitops.Key{Kind: "Gate", Name: "g"}}, want: map[string]time.Duration{"argocd/waits": Together}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := New(Options{
				Reader: applications{servers: victim, err: tc.err}, Namespace: "argocd", Waits: dependency.NewRegister(), Covers: argocdAnd("team"),
				Destination: byServer, Project: without("Secret"), Clusters: ofNobody,
			})
			r.Waits.Set(types.NamespacedName{Namespace: "argocd", Name: "waits"}, []dependency.Object{{Server: theirs, Key: gitops.Key{Kind: "Gate", Name: "g"}}})
			q := &rung{pauses: map[string]time.Duration{}}
			if err := r.Apps.Start(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			r.Live(tc.change)
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
		r := New(Options{Waits: dependency.NewRegister()})
		r.pace = wake.NewPace[types.NamespacedName](paceBurst, time.Hour)
		r.Waits.Set(waits, []dependency.Object{{Server: "https://own", Key: gate}})
		q := &rung{pauses: map[string]time.Duration{}, first: map[string]time.Duration{}}
		if err := r.Apps.Start(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		for range 2 * paceBurst {
			r.depended("https://own", gate, "")
			time.Sleep(Together)
		}
		if first, pause := q.first[waits.String()], q.pauses[waits.String()]; first != Together || pause < time.Minute {
			t.Errorf("the first change is looked at after %s, one of many after %s", first, pause)
		}
	})
}

// TestWhoseAnObjectIs has the project of an Application say what may be a part of it.
func TestWhoseAnObjectIs(t *testing.T) {
	here := gitops.Change{Server: "https://own", Key: gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}}
	with := func(change func(*gitops.Change)) gitops.Change {
		c := here
		change(&c)
		return c
	}
	cases := map[string]struct {
		reason  string
		server  string
		change  gitops.Change
		unknown error
		want    belonging
	}{
		"Own":       {"what the project permits, where the Application deploys to", "https://own", here, nil, granted},
		"Kind":      {"a kind that the project leaves out", "https://own", with(func(c *gitops.Change) { c.Key.Kind = "Secret" }), nil, foreign},
		"Namespace": {"a namespace that it leaves out", "https://own", with(func(c *gitops.Change) { c.Key.Namespace = "bank" }), nil, foreign},
		"Cluster":   {"another cluster, whatever the project permits", "https://theirs", here, nil, elsewhere},
		"Nowhere":   {"it is woken when its destination is known again", "", here, nil, elsewhere},
		"Project":   {"of whose project nothing is known, nothing is lost", "https://own", here, errors.New("not now"), granted},
	}
	for name, tc := range cases {
		r := New(Options{Destination: byServer, Clusters: ofNobody, Project: func(context.Context, string) (*v1alpha1.AppProject, error) {
			p := &v1alpha1.AppProject{}
			p.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "shop"}}
			p.Spec.NamespaceResourceBlacklist = []metav1.GroupKind{{Kind: "Secret"}}
			return p, tc.unknown
		}})
		app := &v1alpha1.Application{}
		app.Spec.Destination.Server = tc.server
		if got := r.whose(t.Context(), app, tc.change); got != tc.want {
			t.Errorf("%s: %s: %d, want %d", name, tc.reason, got, tc.want)
		}
	}
}
