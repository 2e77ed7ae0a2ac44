package clustermetadata

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
)

// Facts tells what a cluster, known by its Secret, says of itself.
type Facts func(ctx context.Context, secret string, asked []causeway.ClusterFact) (map[causeway.ClusterFact]string, error)

// Options of a Reconciler.
type Options struct {
	// Objects reads ClusterMetadata out of a cache.
	Objects client.Reader
	// Hub reads, watches and writes at the API server: cluster Secrets as
	// metadata alone, and what values are taken from.
	Hub client.WithWatch
	// Namespace of cluster Secrets.
	Namespace string
	Facts     Facts
	// Ring wakes a ClusterMetadata.
	Ring func(types.NamespacedName)
	Log  *slog.Logger
}

// Reconciler reconciles ClusterMetadata.
type Reconciler struct {
	Options

	follow *follower
}

// New returns a Reconciler. Start it beside the controller: it owns watches.
func New(o Options) *Reconciler {
	return &Reconciler{Options: o, follow: newFollower(o.Hub, o.Ring, o.Log)}
}

// Pauses after which values are looked at although nothing was told of.
const (
	factPause = 5 * time.Minute // nodes come and go
	lostPause = time.Minute     // a kind may be served later
)

// Start watches what values are taken from, until ctx ends. First it wakes
// what was deleted while nobody was there to see it.
func (r *Reconciler) Start(ctx context.Context) error {
	secrets, err := r.secrets(ctx)
	if err != nil {
		r.Log.WarnContext(ctx, "keys of deleted ClusterMetadata stay for now", "error", err)
	}
	for i := range secrets {
		for _, name := range bridge.Owners(&secrets[i]) {
			r.Ring(types.NamespacedName{Namespace: r.Namespace, Name: name})
		}
	}
	return r.follow.run(ctx)
}

// Reconcile brings the cluster Secrets to what one ClusterMetadata says.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	object := &causeway.ClusterMetadata{}
	err := r.Objects.Get(ctx, req.NamespacedName, object)
	if apierrors.IsNotFound(err) || err == nil && !object.DeletionTimestamp.IsZero() {
		r.follow.forget(req.NamespacedName)
		return reconcile.Result{}, r.clear(ctx, req.Name)
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	// Watched before it is read: a change in between is seen.
	r.follow.of(req.NamespacedName, r.references(object))
	out, err := r.write(ctx, object)
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: out.again}, r.report(ctx, object, out)
}

// outcome is what became of a ClusterMetadata.
type outcome struct {
	clusters int
	problems []bridge.Problem
	invalid  error
	again    time.Duration
}

func (r *Reconciler) write(ctx context.Context, object *causeway.ClusterMetadata) (outcome, error) {
	manager, err := bridge.Manager(object.Name)
	if err != nil {
		return outcome{invalid: err}, nil //nolint:nilerr // a spec that is wrong is told in the status
	}
	match, err := selector(object.Spec.Clusters)
	if err != nil {
		return outcome{invalid: err}, nil //nolint:nilerr // a spec that is wrong is told in the status
	}
	values := r.values(ctx, object)
	if err := ctx.Err(); err != nil {
		return outcome{}, err
	}
	secrets, err := r.secrets(ctx)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{problems: values.problems, again: values.again}
	for i := range secrets {
		s := &secrets[i]
		var wanted []bridge.Wanted
		if match(s) {
			out.clusters++
			wanted = values.of(ctx, r.Facts, s.Name, &out)
		}
		problems, err := r.apply(ctx, manager, s, wanted)
		if err != nil {
			return out, err
		}
		out.problems = append(out.problems, problems...)
	}
	return out, nil
}

// clear takes away what an object that is gone has written.
func (r *Reconciler) clear(ctx context.Context, name string) error {
	manager, err := bridge.Manager(name)
	if err != nil {
		return nil //nolint:nilerr // it never wrote anything
	}
	secrets, err := r.secrets(ctx)
	if err != nil {
		return err
	}
	for i := range secrets {
		if _, err := r.apply(ctx, manager, &secrets[i], nil); err != nil {
			return err
		}
	}
	return nil
}

// secrets are the cluster Secrets with their field managers, and without what
// is in them.
func (r *Reconciler) secrets(ctx context.Context) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(secretKind.GroupVersion().WithKind("SecretList"))
	err := r.Hub.List(ctx, list, client.InNamespace(r.Namespace), client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster})
	if err != nil {
		return nil, fmt.Errorf("cannot list cluster Secrets: %w", err)
	}
	return list.Items, nil
}

// apply writes keys to one Secret as their manager, if it is not so already.
func (r *Reconciler) apply(ctx context.Context, manager string, s *metav1.PartialObjectMetadata, wanted []bridge.Wanted) ([]bridge.Problem, error) {
	w := bridge.PlanWrite(manager, s.Name, s, wanted)
	w.Bound(s.Name)
	if !w.Changed || !s.DeletionTimestamp.IsZero() {
		return w.Problems, nil
	}
	object := client.ApplyConfigurationFromUnstructured(secretWith(s, w))
	err := r.Hub.Apply(ctx, object, client.FieldOwner(manager))
	if apierrors.IsConflict(err) {
		// Somebody wrote in this moment. The event of that wakes us again.
		return append(w.Problems, bridge.Problem{Cluster: s.Name, Message: err.Error()}), nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write to cluster Secret %s: %w", s.Name, err)
	}
	return w.Problems, nil
}

// mostProblems is how many are shown in a status.
const mostProblems = 64

func (r *Reconciler) report(ctx context.Context, object *causeway.ClusterMetadata, out outcome) error {
	before := object.DeepCopy()
	st := &object.Status
	st.ObservedGeneration, st.Clusters, st.Problems = object.Generation, int32(min(out.clusters, 1<<30)), nil //nolint:gosec // bounded
	for _, p := range out.problems[:min(len(out.problems), mostProblems)] {
		st.Problems = append(st.Problems, causeway.MetadataProblem{Key: p.Key.Name, Cluster: p.Cluster, Message: p.Message})
	}
	ready := metav1.Condition{Type: causeway.ConditionReady, Status: metav1.ConditionTrue, Reason: "Written", ObservedGeneration: object.Generation,
		Message: fmt.Sprintf("the values are on %d clusters", out.clusters)}
	switch {
	case out.invalid != nil:
		ready.Status, ready.Reason, ready.Message = metav1.ConditionFalse, "Invalid", out.invalid.Error()
	case len(out.problems) > 0:
		p := out.problems[0]
		ready.Status, ready.Reason = metav1.ConditionFalse, "Problems"
		ready.Message = fmt.Sprintf("%d problems; the first: %s", len(out.problems), sentence(p))
	}
	meta.SetStatusCondition(&st.Conditions, ready)
	if equality.Semantic.DeepEqual(before.Status, object.Status) {
		return nil
	}
	err := r.Hub.Status().Patch(ctx, object, client.MergeFrom(before))
	return client.IgnoreNotFound(err)
}

func sentence(p bridge.Problem) string {
	text := p.Message
	if p.Key.Name != "" {
		text = p.Key.String() + ": " + text
	}
	if p.Cluster != "" {
		text = "cluster Secret " + p.Cluster + ": " + text
	}
	return text
}

// selector chooses cluster Secrets by the name of the Secret or by labels.
func selector(c causeway.ClusterSelector) (func(*metav1.PartialObjectMetadata) bool, error) {
	labels, err := metav1.LabelSelectorAsSelector(c.Selector) // nil matches nothing
	if err != nil {
		return nil, fmt.Errorf("cannot use the selector of clusters: %w", err)
	}
	return func(s *metav1.PartialObjectMetadata) bool {
		return c.MatchAll || slices.Contains(c.Names, s.Name) || labels.Matches(labelsOf(s))
	}, nil
}
