// Package clustersource turns kubeconfigs that others keep in Secrets, such as
// Cluster API and vcluster, into cluster Secrets, and keeps them the same.
//
// A cluster whose kubeconfig is gone goes too, but never while applications
// still target it.
package clustersource

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/watched"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Options of a Reconciler.
type Options struct {
	// Objects reads ClusterSources and cluster Secrets out of a cache.
	Objects client.Reader
	// Hub reads, watches and writes Secrets at the API server.
	Hub client.WithWatch
	// Namespace of cluster Secrets.
	Namespace string
	// Check tells why a cluster Secret cannot be used.
	Check func(*corev1.Secret) error
	// Clusters are those of the fleet.
	Clusters func() []gitops.Cluster
	// Targets names the applications that target a cluster.
	Targets func(context.Context, gitops.Cluster) ([]string, error)
	// Ring wakes a ClusterSource.
	Ring func(types.NamespacedName)
	// Kept is how often it is looked whether a cluster may go at last; half a
	// minute when 0.
	Kept time.Duration
	Log  *slog.Logger
}

// Reconciler reconciles ClusterSources.
type Reconciler struct {
	Options

	watches *watched.Watches

	mu sync.Mutex
	// written has what was applied last, by the name of the cluster Secret.
	written map[string]written
}

// New returns a Reconciler. Start it beside the controller: it owns watches.
func New(o Options) *Reconciler {
	o.Kept = cmp.Or(o.Kept, keptPause)
	return &Reconciler{Options: o, watches: watched.New(o.Hub, o.Ring, o.Log), written: map[string]written{}}
}

// Start watches kubeconfigs until ctx ends. First it wakes what was deleted
// while nobody was there to see it.
func (r *Reconciler) Start(ctx context.Context) error {
	all, err := r.kept(ctx, "")
	if err != nil {
		r.Log.WarnContext(ctx, "clusters of deleted ClusterSources stay for now", "error", err)
	}
	for i := range all {
		r.Ring(types.NamespacedName{Namespace: r.Namespace, Name: all[i].Labels[causeway.LabelClusterSource]})
	}
	return r.watches.Run(ctx)
}

// Pauses after which a source is looked at although nothing was told of.
const (
	keptPause  = 30 * time.Second // the usual one of Options.Kept
	labelPause = time.Minute      // the labels of Cluster API's Clusters are not watched
)

// Reconcile brings the cluster Secrets to what one ClusterSource says.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (res reconcile.Result, err error) {
	object := &causeway.ClusterSource{}
	err = r.Objects.Get(ctx, req.NamespacedName, object)
	if apierrors.IsNotFound(err) || err == nil && !object.DeletionTimestamp.IsZero() {
		return r.withdraw(ctx, req.NamespacedName)
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	out := r.begin(object)
	defer func() { res, err = out.end(ctx, err) }()
	scope, err := scopeOf(object)
	if err != nil {
		out.invalid(err)
		return reconcile.Result{}, nil
	}
	if !r.watches.Of(req.NamespacedName, scope.targets()) { // before it is read: a change in between is seen
		out.waits = true
	}
	if err := r.bring(ctx, object, scope, out); err != nil {
		return reconcile.Result{}, out.failed(err)
	}
	out.followed()
	return reconcile.Result{}, nil
}

// withdraw takes away the cluster Secrets of a source that is gone. Some may have to
// stay for now.
func (r *Reconciler) withdraw(ctx context.Context, source types.NamespacedName) (reconcile.Result, error) {
	r.watches.Forget(source)
	out := &outcome{}
	if err := r.drop(ctx, source.Name, nil, out); err != nil {
		return reconcile.Result{}, err
	}
	if out.waits {
		return reconcile.Result{RequeueAfter: r.Kept}, nil
	}
	return reconcile.Result{}, nil
}

func (r *Reconciler) bring(ctx context.Context, object *causeway.ClusterSource, scope scope, out *outcome) error {
	unclear := scope.unclear(object)
	if unclear != "" { // told first, for only so many problems are
		out.problemf("%s", unclear)
	}
	others, err := r.others(ctx)
	if err != nil {
		return err
	}
	kubeconfigs, left, unread := r.find(ctx, scope, others.taken(object.Name))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, namespace := range slices.Sorted(maps.Keys(unread)) {
		out.problemf("%v", unread[namespace])
		out.waits = true
	}
	out.noPlace(left)
	wanted := r.wanted(object, kubeconfigs, others.origins, out)
	if unclear != "" {
		wanted = made(wanted, others.origins, out)
	}
	keep := others.of(unread, left)
	for _, w := range wanted {
		keep[w.secret] = true
	}
	if err := r.drop(ctx, object.Name, keep, out); err != nil {
		return err
	}
	for _, name := range out.gone {
		others.drop(name)
	}
	return r.writeAll(ctx, object, wanted, others, out)
}

// writeAll writes cluster Secrets. One that cannot be written keeps no other
// one from being written: they may be those of other people.
func (r *Reconciler) writeAll(ctx context.Context, source *causeway.ClusterSource, all []wanted, others *others, out *outcome) error {
	for _, w := range all {
		if !r.make(source, &w, out) {
			continue
		}
		err := others.refuse(w)
		if err == nil {
			err = r.write(ctx, source.Name, w, out)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			out.problemf("%v", err)
			out.waits = true
			continue
		}
		others.add(w.object)
	}
	return nil
}

// drop deletes the cluster Secrets of a source that are not to be kept, and
// that no application targets.
func (r *Reconciler) drop(ctx context.Context, source string, keep map[string]bool, out *outcome) error {
	all, err := r.kept(ctx, source)
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		out.clusters++
		if keep[s.Name] || !s.DeletionTimestamp.IsZero() {
			continue
		}
		if why := shared(s); why != "" {
			out.waits = true
			out.problemf("Secret %s stays although its kubeconfig is gone: %s; take the label %s off it, or delete it", s.Name, why, causeway.LabelClusterSource)
			continue
		}
		apps, err := r.targets(ctx, s.Name)
		if err != nil {
			return err
		}
		if len(apps) > 0 {
			out.waits = true
			out.problemf("cluster Secret %s stays although its kubeconfig is gone: applications target it (%s); move or delete them, or delete the Secret",
				s.Name, some(apps))
			continue
		}
		same := client.Preconditions{UID: &s.UID, ResourceVersion: &s.ResourceVersion}
		if err := r.Hub.Delete(ctx, s, same); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("cannot delete cluster Secret %s: %w", s.Name, err)
		}
		r.mu.Lock()
		delete(r.written, s.Name)
		r.mu.Unlock()
		out.clusters--
		out.gone = append(out.gone, s.Name)
		r.Log.InfoContext(ctx, "cluster deleted: its kubeconfig is gone", "secret", s.Name, "source", source)
	}
	return nil
}

func (r *Reconciler) targets(ctx context.Context, secret string) ([]string, error) {
	for _, c := range r.Clusters() {
		if c.Secret == secret {
			return r.Targets(ctx, c)
		}
	}
	// The fleet does not know it yet, or cannot use it: its name is that of the Secret.
	return r.Targets(ctx, gitops.Cluster{Name: secret, Secret: secret})
}

// some names a few of many.
func some(names []string) string {
	const few = 3
	return gitops.Listed(names, few)
}

// kept are the cluster Secrets of a source, or of all, without what is in them.
func (r *Reconciler) kept(ctx context.Context, source string) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	match := client.ListOption(client.HasLabels{causeway.LabelClusterSource})
	if source != "" {
		match = client.MatchingLabels{causeway.LabelClusterSource: source}
	}
	if err := r.Hub.List(ctx, list, client.InNamespace(r.Namespace), match); err != nil {
		return nil, fmt.Errorf("cannot list cluster Secrets: %w", err)
	}
	return list.Items, nil
}
