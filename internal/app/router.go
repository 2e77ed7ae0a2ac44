package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/dependency"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// setBell wakes the controller of ApplicationSets.
type setBell struct {
	readers *applicationset.Readers
	// bell is for changes in the state of Applications, for which a set need
	// not be expanded.
	bell wake.Bell
}

// Ring asks for a set to be expanded.
func (b *setBell) Ring(name types.NamespacedName) {
	b.RingAfter(name, 0)
}

// RingAfter asks for it after a pause, in which further rings are one.
func (b *setBell) RingAfter(name types.NamespacedName, pause time.Duration) {
	b.readers.Stale(name)
	b.bell.RingAfter(name, pause)
}

// router passes news to the controllers of the objects that they concern, and
// of no others.
type router struct {
	reader    client.Reader
	namespace string
	// covers reports whether Applications of a namespace are the engine's.
	covers  func(namespace string) bool
	apps    wake.Bell
	sets    setBell
	secrets wake.Bell // of clusters
	readers *applicationset.Readers
	remotes remoteIndex
	log     *slog.Logger
	waits   *dependency.Register
	pace    *wake.Pace[types.NamespacedName]
	// fleetPace is that of the changes of each cluster Secret.
	fleetPace *wake.Pace[string]
	// hostPace is that of the events of Git hosts that concern a set.
	hostPace *wake.Pace[types.NamespacedName]
	// whose tells what a live object is to the Application that it names.
	whose func(context.Context, *v1alpha1.Application, gitops.Change) belonging
}

// belonging is what a live object is to an Application whose tracking id it has.
type belonging int

const (
	// elsewhere is in a cluster that the Application does not deploy to: it says nothing of it.
	elsewhere belonging = iota
	// foreign is not permitted by its project: it is no part of the Application, which warns of it.
	foreign
	// granted may be a part of it.
	granted
)

// How many looks at an Application changes of live objects cause: so many at
// once, as a sync of many waves needs them, and then no more than one in a while.
// Who may write objects can make as many changes as they like.
const (
	paceBurst = 50
	paceEvery = 250 * time.Millisecond
)

// together is how long changes of one application's objects are gathered:
// a rollout changes several at a time.
const together = 10 * time.Millisecond

// setPause is how long changes in the state of its Applications are gathered
// before a set shows them.
const setPause = 2 * time.Second

// foreignPause is how long changes of objects are gathered of which an
// application only warns.
const foreignPause = 2 * time.Second

// live takes a change of a live object.
func (r *router) live(c gitops.Change) {
	r.tracked(c)
	r.depended(c.Server, c.Key, "")
}

// tracked wakes the application that a live object names. Whoever may write an
// object may write another one's name into it, and again and again.
func (r *router) tracked(c gitops.Change) {
	name := r.name(c.App)
	if c.App == "" || !r.covers(name.Namespace) {
		return
	}
	least := together
	switch r.belongs(name, c) {
	case elsewhere:
		return
	case foreign:
		least = foreignPause
	case granted:
	}
	r.apps.RingAfter(name, r.pace.Pause(name, least))
}

// belongs tells what a live object is to an Application. One that is not there
// has nothing; where the cache cannot tell, each is looked at.
func (r *router) belongs(name types.NamespacedName, c gitops.Change) belonging {
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	app := &v1alpha1.Application{}
	err := r.reader.Get(ctx, name, app, client.UnsafeDisableDeepCopy)
	switch {
	case apierrors.IsNotFound(err):
		return elsewhere
	case err != nil || c.Asked:
		return granted
	}
	return r.whose(ctx, app, c)
}

// name is the Application of a tracking id.
func (r *router) name(tracking string) types.NamespacedName {
	namespace, name := gitops.SplitTrackingName(tracking, r.namespace)
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// repos passes changes of repositories on until ctx ends.
func (r *router) repos(ctx context.Context, changes <-chan gitops.RepoChange) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case change, ok := <-changes:
			if !ok {
				return nil
			}
			r.repo(ctx, change)
		}
	}
}

// public leaves out what people write of credentials into addresses.
func public(repos []string) []string {
	out := make([]string, len(repos))
	for i, name := range repos {
		out[i] = gitops.PublicAddress(name)
	}
	return out
}

// logged is how many repositories, and how many revisions, of a change a line of
// the log has.
const logged = 10

func (r *router) repo(ctx context.Context, change gitops.RepoChange) {
	r.log.InfoContext(ctx, "repository changed", "repos", public(change.Repos[:min(len(change.Repos), logged)]), "revisions", change.Revisions[:min(len(change.Revisions), logged)])
	for _, name := range r.readers.OfRepo(change) {
		r.sets.Ring(name)
	}
	for _, name := range r.remotes.concerned(change) {
		r.apps.Ring(name)
	}
	r.ring(ctx, func(app *v1alpha1.Application) bool {
		for _, s := range app.Spec.GetSources() {
			if change.Concerns(address.Folded(s.RepoURL), s.TargetRevision) {
				return true
			}
		}
		return false
	})
}

// cluster takes a change of a cluster's Secret. What changes without end is taken
// as it is then, after a pause: a change may have all sets expanded that read clusters.
func (r *router) cluster(ctx context.Context, change gitops.ClusterChange) {
	pause := r.fleetPace.Pause(change.Secret, 0)
	for _, name := range r.readers.OfCluster(change) {
		r.sets.RingAfter(name, pause)
	}
	r.ringAfter(ctx, pause, uncompared)
}

// host takes an event of a Git host. Anybody sends those of one without a secret,
// and as many as they like: a set is looked at after a pause then.
func (r *router) host(event generate.HostEvent) {
	for _, name := range r.readers.OfHost(event) {
		r.sets.RingAfter(name, r.hostPace.Pause(name, 0))
	}
}

// meant wakes the applications whose destination names clusters that mean
// something else than before.
func (r *router) meant(ctx context.Context, clusters []gitops.Cluster) {
	if len(clusters) == 0 {
		return
	}
	names, servers := map[string]bool{}, map[string]bool{}
	for _, c := range clusters {
		names[c.Name], servers[gitops.ServerKey(c.Server)] = true, true
		names[gitops.HubName] = names[gitops.HubName] || gitops.IsHub(c.Server)
	}
	r.ring(ctx, func(app *v1alpha1.Application) bool {
		d := app.Spec.Destination
		return names[d.Name] || d.Server != "" && servers[gitops.ServerKey(d.Server)]
	})
}

// unknown wakes the applications that could not be compared: one whose
// destination was unknown may have one now. One that is compared already has
// no reason to look again.
func (r *router) unknown(ctx context.Context) { r.ring(ctx, uncompared) }

func uncompared(app *v1alpha1.Application) bool {
	return app.Status.Sync.Status == "" || app.Status.Sync.Status == v1alpha1.SyncStatusCodeUnknown
}

// server wakes the applications of one cluster.
func (r *router) server(ctx context.Context, match func(v1alpha1.ApplicationDestination) bool) {
	r.ring(ctx, func(app *v1alpha1.Application) bool { return match(app.Spec.Destination) })
}

// freed wakes the applications that shared an object with another one, when
// some application is gone.
func (r *router) freed(ctx context.Context) {
	r.ring(ctx, func(app *v1alpha1.Application) bool {
		return slices.ContainsFunc(app.Status.Conditions, func(c v1alpha1.ApplicationCondition) bool {
			return c.Type == v1alpha1.ApplicationConditionSharedResourceWarning
		})
	})
}

// all wakes every application.
func (r *router) all(ctx context.Context) {
	r.setsOf(func(string) bool { return true })
	r.ring(ctx, func(*v1alpha1.Application) bool { return true })
}

// projects wakes the applications of all projects that match.
func (r *router) projects(ctx context.Context, match func(*v1alpha1.AppProject) bool) {
	var list v1alpha1.AppProjectList
	if !r.list(ctx, &list, "projects") {
		return
	}
	matching := map[string]bool{}
	for i := range list.Items {
		matching[list.Items[i].Name] = match(&list.Items[i])
	}
	r.setsOf(func(project string) bool { return matching[project] })
	r.ring(ctx, func(app *v1alpha1.Application) bool { return matching[app.Spec.GetProject()] })
}

// setsOf wakes the sets that asked for a project: what it wants signed decides
// what their generators give.
func (r *router) setsOf(match func(project string) bool) {
	for _, name := range r.readers.OfProjects(match) {
		r.sets.Ring(name)
	}
}

func (r *router) project(ctx context.Context, name string) {
	r.setsOf(func(project string) bool { return project == name })
	r.ring(ctx, func(app *v1alpha1.Application) bool { return app.Spec.GetProject() == name })
}

func (r *router) ring(ctx context.Context, match func(*v1alpha1.Application) bool) {
	r.ringAfter(ctx, 0, match)
}

func (r *router) ringAfter(ctx context.Context, pause time.Duration, match func(*v1alpha1.Application) bool) {
	var list v1alpha1.ApplicationList
	if !r.list(ctx, &list, "applications") {
		return
	}
	for i := range list.Items {
		if r.covers(list.Items[i].Namespace) && match(&list.Items[i]) {
			r.apps.RingAfter(client.ObjectKeyFromObject(&list.Items[i]), pause)
		}
	}
}

// list reads objects, and reports whether it could. Before the cache has started
// it cannot, and need not: each application is looked at once it has.
func (r *router) list(ctx context.Context, list client.ObjectList, what string) bool {
	err := r.reader.List(ctx, list, client.UnsafeDisableDeepCopy)
	if notStarted := (*cache.ErrCacheNotStarted)(nil); errors.As(err, &notStarted) {
		return false
	}
	if err != nil {
		r.log.WarnContext(ctx, "cannot list "+what+" to wake applications", "error", err)
	}
	return err == nil
}
