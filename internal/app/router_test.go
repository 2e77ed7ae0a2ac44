package app

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application"
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

// rung is a queue that keeps who is to be looked at, and when.
type rung struct {
	wake.Queue

	pauses map[string]time.Duration
}

func (q *rung) AddAfter(r reconcile.Request, pause time.Duration) { q.pauses[r.String()] = pause }

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
				reader: applications{servers: victim, err: tc.err}, namespace: "argocd", waits: application.NewWaits(), pace: newPace(),
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
			r.waits.Set(types.NamespacedName{Namespace: "argocd", Name: "waits"}, []application.Wait{{Server: theirs, Key: gitops.Key{Kind: "Gate", Name: "g"}}})
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

// TestPace has changes of an object come without end.
func TestPace(t *testing.T) {
	now := time.Unix(0, 0)
	p := newPace()
	p.now = func() time.Time { return now }
	shop := types.NamespacedName{Namespace: "argocd", Name: "shop"}
	const changes, apart = 60_000, time.Millisecond
	looks, due := 0, time.Time{}
	for range changes {
		pause := p.pause(shop, together)
		if pause <= 0 || pause > 2*paceEvery {
			t.Fatalf("a change is looked at in %s", pause)
		}
		if next := now.Add(pause); !next.Equal(due) { // else the queue makes one of both
			looks, due = looks+1, next
		}
		now = now.Add(apart)
	}
	if most := paceBurst + int(changes*apart/paceEvery) + 1; looks > most || looks < paceBurst {
		t.Errorf("%d looks within %s; want at most %d", looks, changes*apart, most)
	}
	if pause := p.pause(types.NamespacedName{Namespace: "argocd", Name: "other"}, together); pause != together {
		t.Errorf("another application: %s", pause)
	}
	now = now.Add(time.Hour)
	if pause := p.pause(shop, foreignPause); pause != foreignPause {
		t.Errorf("what is not urgent is looked at in %s", pause)
	}
	if pause := p.pause(shop, together); pause != together {
		t.Errorf("a change that is urgent waits for one that is not: %s", pause)
	}
	if pause := p.pause(shop, foreignPause); pause != together {
		t.Errorf("a look comes soon, and another one is asked for in %s", pause)
	}
	p.forget(shop)
	if len(p.apps) != 1 {
		t.Errorf("%d applications are remembered", len(p.apps))
	}
}
