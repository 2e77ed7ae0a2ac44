package route

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/dependency"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Options are what a Router goes by.
type Options struct {
	// Reader is the cache of the hub.
	Reader client.Reader
	// Namespace is the control namespace.
	Namespace string
	// Covers reports whether Applications of a namespace are the engine's.
	Covers func(namespace string) bool
	// Destination is the cluster that a destination leads to.
	Destination func(v1alpha1.ApplicationDestination) (gitops.Cluster, error)
	// Clusters are those that belong to a project.
	Clusters func(project string) []gitops.Cluster
	// Project is a project with all that it has from elsewhere.
	Project func(ctx context.Context, name string) (*v1alpha1.AppProject, error)
	// Readers know what sets read, and Rollouts which of them roll out in steps.
	Readers  *applicationset.Readers
	Rollouts *applicationset.Rollouts
	// Looks are the last comparisons of Applications, and Waits what those wait for.
	Looks *comparisons.Book
	Waits *dependency.Register
	// Flood is between two looks that are made for what is said of a cluster, or by a
	// Git host, again and again.
	Flood time.Duration
	Log   *slog.Logger
}

// Router passes news to the controllers of the objects that they concern, and
// of no others. It is safe for concurrent use.
type Router struct {
	Options

	// Apps and Secrets wake the controllers of Applications and of cluster Secrets.
	Apps, Secrets wake.Bell
	// Sets wakes that of ApplicationSets.
	Sets SetBell

	remotes remotes
	pace    *wake.Pace[types.NamespacedName]
	// fleetPace is that of the changes of each cluster Secret.
	fleetPace *wake.Pace[string]
	// hostPace is that of the events of Git hosts that concern a set.
	hostPace *wake.Pace[types.NamespacedName]
}

// New returns a Router, whose bells nobody hears until controllers take them.
func New(o Options) *Router {
	return &Router{
		Options: o, Sets: SetBell{readers: o.Readers},
		pace:      wake.NewPace[types.NamespacedName](paceBurst, paceEvery),
		fleetPace: wake.NewPace[string](wake.FloodBurst, o.Flood), hostPace: wake.NewPace[types.NamespacedName](wake.FloodBurst, o.Flood),
	}
}

// name is the Application of a tracking id.
func (r *Router) name(tracking string) types.NamespacedName {
	namespace, name := gitops.SplitTrackingName(tracking, r.Namespace)
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// Unknown wakes the applications that could not be compared: one whose
// destination was unknown may have one now. One that is compared already has
// no reason to look again.
func (r *Router) Unknown(ctx context.Context) { r.ring(ctx, uncompared) }

func uncompared(app *v1alpha1.Application) bool {
	return app.Status.Sync.Status == "" || app.Status.Sync.Status == v1alpha1.SyncStatusCodeUnknown
}

// Gone forgets an application that is gone, and wakes those that shared an object
// with another one.
func (r *Router) Gone(ctx context.Context, name types.NamespacedName) {
	r.remotes.drop(name)
	r.pace.Forget(name)
	r.ring(ctx, func(app *v1alpha1.Application) bool {
		return slices.ContainsFunc(app.Status.Conditions, func(c v1alpha1.ApplicationCondition) bool {
			return c.Type == v1alpha1.ApplicationConditionSharedResourceWarning
		})
	})
}

func (r *Router) ring(ctx context.Context, match func(*v1alpha1.Application) bool) {
	r.ringAfter(ctx, 0, match)
}

func (r *Router) ringAfter(ctx context.Context, pause time.Duration, match func(*v1alpha1.Application) bool) {
	var list v1alpha1.ApplicationList
	if !r.list(ctx, &list, "applications") {
		return
	}
	for i := range list.Items {
		if r.Covers(list.Items[i].Namespace) && match(&list.Items[i]) {
			r.Apps.RingAfter(client.ObjectKeyFromObject(&list.Items[i]), pause)
		}
	}
}

// list reads objects, and reports whether it could. Before the cache has started
// it cannot, and need not: each application is looked at once it has.
func (r *Router) list(ctx context.Context, list client.ObjectList, what string) bool {
	err := r.Reader.List(ctx, list, client.UnsafeDisableDeepCopy)
	if notStarted := (*cache.ErrCacheNotStarted)(nil); errors.As(err, &notStarted) {
		return false
	}
	if err != nil {
		r.Log.WarnContext(ctx, "cannot list "+what+" to wake applications", "error", err)
	}
	return err == nil
}

// ClusterSecrets has all cluster Secrets looked at once more: what programs they may
// name has changed.
func (r *Router) ClusterSecrets(ctx context.Context) {
	var list corev1.SecretList
	match := client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}
	if err := r.Reader.List(ctx, &list, client.InNamespace(r.Namespace), match); err != nil {
		return // the cache has not started: each Secret is looked at then
	}
	for i := range list.Items {
		r.Secrets.Ring(client.ObjectKeyFromObject(&list.Items[i]))
	}
}
