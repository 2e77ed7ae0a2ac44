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
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/watched"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
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

// keptPause is the usual one of Options.Kept.
const keptPause = 30 * time.Second

// labelPause is how often the labels of Cluster API's Clusters are read.
const labelPause = time.Minute

// Reconcile brings the cluster Secrets to what one ClusterSource says.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	object := &causeway.ClusterSource{}
	err := r.Objects.Get(ctx, req.NamespacedName, object)
	if apierrors.IsNotFound(err) || err == nil && !object.DeletionTimestamp.IsZero() {
		r.watches.Forget(req.NamespacedName)
		out := &outcome{}
		err := r.drop(ctx, req.Name, nil, out)
		return r.again(out), err
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	out := &outcome{}
	scope, err := scopeOf(object)
	if err != nil {
		out.clusters = int(object.Status.Clusters) // they stay as they are
		out.problemf("%v", err)
		return reconcile.Result{}, r.report(ctx, object, out)
	}
	if !r.watches.Of(req.NamespacedName, scope.targets()) { // before it is read: a change in between is seen
		out.waits = true
	}
	if err := r.bring(ctx, object, scope, out); err != nil {
		return reconcile.Result{}, err
	}
	if object.Spec.ClusterAPI != nil && !out.waits {
		// Labels come from objects that are not watched.
		return reconcile.Result{RequeueAfter: labelPause}, r.report(ctx, object, out)
	}
	return r.again(out), r.report(ctx, object, out)
}

// outcome is what became of a ClusterSource.
type outcome struct {
	clusters int
	// problems are the first mostShown; untold counts the others.
	problems []string
	untold   int
	waits    bool
	// gone are the cluster Secrets that were deleted.
	gone []string
}

// Bounds of what is told: others chose what there is to tell of, and the
// definition bounds what a condition says.
const (
	mostSaid  = 2 << 10 // bytes of a problem
	mostShown = 10      // problems
)

func (o *outcome) problemf(format string, args ...any) {
	if len(o.problems) == mostShown {
		o.untold++
		return
	}
	o.problems = append(o.problems, gitops.First(fmt.Sprintf(format, args...), mostSaid))
}

// noPlace tells of namespaces with more kubeconfigs than a source takes.
func (o *outcome) noPlace(left map[string]int) {
	for _, namespace := range slices.Sorted(maps.Keys(left)) {
		o.problemf("in namespace %s is no place for %s: a ClusterSource takes %d of a namespace at most; choose fewer with a selector, or delete those that nobody needs",
			namespace, gitops.Count(left[namespace], "more kubeconfig"), mostTaken)
		o.waits = true // a cluster that has kept its place may go
	}
}

// told are the problems as a status has them.
func (o *outcome) told() string {
	text := strings.Join(o.problems, "\n")
	if o.untold > 0 {
		text += "\nand " + gitops.Count(o.untold, "more problem")
	}
	return text
}

func (r *Reconciler) again(out *outcome) reconcile.Result {
	if out.waits {
		return reconcile.Result{RequeueAfter: r.Kept}
	}
	return reconcile.Result{}
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

func (r *Reconciler) report(ctx context.Context, object *causeway.ClusterSource, out *outcome) error {
	before := object.DeepCopy()
	st := &object.Status
	st.ObservedGeneration, st.Clusters = object.Generation, int32(min(out.clusters, 1<<30)) //nolint:gosec // bounded
	ready := metav1.Condition{Type: causeway.ConditionReady, Status: metav1.ConditionTrue, Reason: "Followed", ObservedGeneration: object.Generation,
		Message: fmt.Sprintf("%d clusters are kept", out.clusters)}
	if len(out.problems) > 0 {
		ready.Status, ready.Reason, ready.Message = metav1.ConditionFalse, "Problems", out.told()
	}
	meta.SetStatusCondition(&st.Conditions, ready)
	if equality.Semantic.DeepEqual(before.Status, object.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.Hub.Status().Patch(ctx, object, report.StatusFrom(before)))
}
