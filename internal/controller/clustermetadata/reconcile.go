package clustermetadata

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/controller/watched"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Facts tells what a cluster, known by its Secret and the server that this names,
// says of itself. Asked may have facts that come from nodes.
type Facts func(ctx context.Context, secret, server string, asked []causeway.ClusterFact) (*Told, error)

// OfNodes reports whether a fact comes from a cluster's nodes.
func OfNodes(f causeway.ClusterFact) bool {
	return f != causeway.FactKubernetesVersion && f != causeway.FactAPIVersions
}

// Options of a Reconciler.
type Options struct {
	// Objects reads ClusterMetadata and cluster Secrets out of a cache, which
	// keeps who holds the keys of the Secrets (bridge.Held). What it does not
	// know yet wakes the Reconciler when it does: see Concerned.
	Objects client.Reader
	// Hub writes at the API server, and reads and watches what values are taken
	// from there.
	Hub client.WithWatch
	// Namespace of cluster Secrets.
	Namespace string
	Facts     Facts
	// Ring wakes a ClusterMetadata, and Changed one whose sources changed, which
	// others write as often as they like.
	Ring, Changed func(types.NamespacedName)
	// Writes spaces out what is written: each is a change of a cluster.
	Writes *wake.Pace[Write]
	// Lost is how often it is looked for what cannot be read; a minute when 0.
	Lost time.Duration
	// Moment is how long those who ask clusters wait for their answers, of all
	// clusters together; a quarter of a second when 0. Ring wakes for later ones.
	Moment time.Duration
	Events report.Events
	Log    *slog.Logger
}

// Write is one ClusterMetadata's to one cluster Secret.
type Write struct {
	manager string
	secret  types.UID
}

// Reconciler reconciles ClusterMetadata.
type Reconciler struct {
	Options

	watches *watched.Watches
	asked   *answers
}

// New returns a Reconciler. Start it beside the controller: it owns watches.
func New(o Options) *Reconciler {
	o.Lost = cmp.Or(o.Lost, lostPause)
	o.Moment = cmp.Or(o.Moment, moment)
	return &Reconciler{Options: o, watches: watched.New(o.Hub, o.Changed, o.Log), asked: newAnswers(o.Facts, o.Ring, o.Moment)}
}

// Pauses after which values are looked at although nothing was told of.
const (
	factPause = 5 * time.Minute // nodes come and go
	lostPause = time.Minute     // a kind may be served later
	tornPause = 5 * time.Second // Terraform writes the parts of a state one after the other
)

// Start watches what values are taken from, until ctx ends. First it wakes
// what was deleted while nobody was there to see it.
func (r *Reconciler) Start(ctx context.Context) error {
	defer r.asked.stop()
	secrets, err := r.secrets(ctx)
	if err != nil {
		r.Log.WarnContext(ctx, "keys of deleted ClusterMetadata stay for now", "error", err)
	}
	for i := range secrets {
		for _, name := range bridge.Owners(secrets[i].ManagedFields) {
			r.Ring(types.NamespacedName{Namespace: r.Namespace, Name: name})
		}
	}
	return r.watches.Run(ctx)
}

// Reconcile brings the cluster Secrets to what one ClusterMetadata says.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (res reconcile.Result, err error) {
	object := &causeway.ClusterMetadata{}
	err = r.Objects.Get(ctx, req.NamespacedName, object)
	if apierrors.IsNotFound(err) || err == nil && !object.DeletionTimestamp.IsZero() {
		r.watches.Forget(req.NamespacedName)
		return reconcile.Result{}, r.clear(ctx, req.Name)
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	out := r.begin(object)
	defer func() { res, err = out.end(ctx, err) }()
	// Watched before it is read: a change in between is seen.
	all := r.watches.Of(req.NamespacedName, r.references(object))
	written, err := r.write(ctx, object)
	if err != nil {
		return reconcile.Result{}, out.failed(err)
	}
	if !all {
		written.again = shorter(written.again, r.Lost)
	}
	out.wrote(written)
	return reconcile.Result{}, nil
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
	r.asked.keep(secrets)
	out := outcome{problems: append(values.problems, unknownNames(object.Spec.Clusters.Names, secrets)...), again: values.again}
	told := r.ask(ctx, object, values.facts, slices.DeleteFunc(slices.Clone(secrets), func(m member) bool { return !match(&m.PartialObjectMetadata) }))
	for i := range secrets {
		s := &secrets[i].PartialObjectMetadata
		var wanted []bridge.Wanted
		if match(s) {
			out.clusters++
			wanted = values.of(told[s.UID], s.Name, &out)
		}
		w := planned(manager, s, wanted)
		if wait := r.turn(manager, s, w); wait > 0 {
			out.problems, out.again = append(out.problems, w.Problems...), shorter(out.again, wait)
			continue
		}
		problems, err := r.apply(ctx, manager, s, w)
		if isRefusal(err) {
			out.again = shorter(out.again, r.Lost)
			problems, err = append(problems, bridge.Problem{Cluster: s.Name, Message: refusal(err)}), nil
		}
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
	var refused []error
	for i := range secrets {
		s := &secrets[i].PartialObjectMetadata
		_, err := r.apply(ctx, manager, s, planned(manager, s, nil))
		if err != nil && !isRefusal(err) {
			return err
		}
		refused = append(refused, err)
	}
	return errors.Join(refused...)
}

// member is a cluster Secret without what is in it, but for the server.
type member struct {
	metav1.PartialObjectMetadata

	server string
}

// secrets are the cluster Secrets with their field managers. They are the cache's
// own: nobody changes them.
func (r *Reconciler) secrets(ctx context.Context) ([]member, error) {
	list := &corev1.SecretList{}
	match := client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}
	if err := r.Objects.List(ctx, list, client.InNamespace(r.Namespace), match, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("cannot list cluster Secrets: %w", err)
	}
	out := make([]member, len(list.Items))
	for i := range list.Items {
		out[i].ObjectMeta, out[i].server = list.Items[i].ObjectMeta, clustersecret.Describe(&list.Items[i]).Server
	}
	return out, nil
}

// Concerned are those that a change of a cluster Secret wakes: each
// ClusterMetadata that there is, and those that are gone and still hold keys.
func Concerned(secret client.Object, all []causeway.ClusterMetadata) []types.NamespacedName {
	var out []types.NamespacedName
	for i := range all {
		out = append(out, client.ObjectKeyFromObject(&all[i]))
	}
	for _, name := range bridge.Owners(secret.GetManagedFields()) {
		gone := types.NamespacedName{Namespace: secret.GetNamespace(), Name: name}
		if !slices.Contains(out, gone) {
			out = append(out, gone)
		}
	}
	return out
}

// planned is what is to be written to one Secret.
func planned(manager string, s *metav1.PartialObjectMetadata, wanted []bridge.Wanted) bridge.Write {
	return bridge.PlanWrite(manager, s.Name, s, wanted)
}

// turn is how long a write waits, as the values change without end. What they are
// then is written.
func (r *Reconciler) turn(manager string, s *metav1.PartialObjectMetadata, w bridge.Write) time.Duration {
	if !w.Changed || !s.DeletionTimestamp.IsZero() {
		return 0
	}
	return r.Writes.Take(Write{manager, s.UID})
}

// apply writes keys to one Secret as their manager, if it is not so already.
func (r *Reconciler) apply(ctx context.Context, manager string, s *metav1.PartialObjectMetadata, w bridge.Write) ([]bridge.Problem, error) {
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
		return w.Problems, fmt.Errorf("cannot write to cluster Secret %s: %w", s.Name, err)
	}
	return w.Problems, nil
}

// unknownNames are the clusters that are chosen by a name which no Secret has.
func unknownNames(names []string, secrets []member) []bridge.Problem {
	known := make(map[string]bool, len(secrets))
	for i := range secrets {
		known[secrets[i].Name] = true
	}
	var out []bridge.Problem
	for _, name := range names {
		if !known[name] {
			out = append(out, bridge.Problem{Cluster: name, Message: "there is no cluster Secret of this name, which spec.clusters.names has; name one that is there, or take it out"})
		}
	}
	return out
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
