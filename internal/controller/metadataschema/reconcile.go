package metadataschema

import (
	"context"
	"log/slog"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Options of a Reconciler.
type Options struct {
	// Objects reads MetadataSchemas out of a cache.
	Objects client.Reader
	// Hub reads and writes at the API server.
	Hub client.Client
	// Clusters are those of the fleet as their Secrets describe them.
	Clusters func() []gitops.Cluster
	// Namespace of cluster Secrets.
	Namespace string
	// Ring wakes a MetadataSchema.
	Ring   func(types.NamespacedName)
	Events report.Events
	Log    *slog.Logger
}

// Reconciler reconciles MetadataSchemas.
type Reconciler struct {
	Options

	// clean has the schemas whose policies all have the names of now.
	clean sync.Map
}

// New returns a Reconciler.
func New(o Options) *Reconciler { return &Reconciler{Options: o} }

// Start wakes the schemas of all policies once: a schema may have been deleted
// while nobody was there to see it.
func (r *Reconciler) Start(ctx context.Context) error {
	policies, err := r.policies(ctx)
	if err != nil {
		r.Log.WarnContext(ctx, "policies of deleted MetadataSchemas stay for now", "error", err)
	}
	for i := range policies {
		if name := policies[i].Annotations[annotationOf]; name != "" {
			r.Ring(types.NamespacedName{Namespace: r.Namespace, Name: name})
		}
	}
	return nil
}

// Reconcile brings the API server's rules to what one schema says.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	object := &causeway.MetadataSchema{}
	err := r.Objects.Get(ctx, req.NamespacedName, object)
	if apierrors.IsNotFound(err) || err == nil && !object.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, r.remove(ctx, req.NamespacedName)
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	before := object.DeepCopy()
	schema, err := bridge.NewSchema(object)
	if err != nil {
		valid(object, err)
		return reconcile.Result{}, r.patch(ctx, before, object)
	}
	valid(object, nil)
	r.count(object, schema)
	written := r.write(ctx, object, schema)
	if written == nil {
		written = r.tidy(ctx, req.NamespacedName)
	}
	ready(object, written)
	if err := r.patch(ctx, before, object); err != nil {
		return reconcile.Result{}, err
	}
	if told(written) {
		return reconcile.Result{}, nil // until the schema or the engine's rights change
	}
	return reconcile.Result{}, written
}

// told reports whether trying again does not help.
func told(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || meta.IsNoMatchError(err)
}

// mostProblems is how many are shown in a status.
const mostProblems = 64

// count counts what the clusters of the fleet break.
func (r *Reconciler) count(object *causeway.MetadataSchema, schema bridge.Schema) {
	st := &object.Status
	st.Violations, st.Problems = 0, nil
	for _, c := range r.Clusters() {
		for _, v := range schema.Check(c) {
			st.Violations++
			if len(st.Problems) < mostProblems {
				st.Problems = append(st.Problems, causeway.MetadataProblem{Key: v.Key.Name, Cluster: c.Name, Message: v.Key.String() + " " + v.Message})
			}
		}
	}
}

func valid(object *causeway.MetadataSchema, err error) {
	c := metav1.Condition{Type: causeway.ConditionValid, Status: metav1.ConditionTrue, Reason: "Valid", Message: "the rules can be used", ObservedGeneration: object.Generation}
	if err != nil {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, "Invalid", gitops.Condition(err.Error())
	}
	object.Status.ObservedGeneration = object.Generation
	meta.SetStatusCondition(&object.Status.Conditions, c)
}

func ready(object *causeway.MetadataSchema, err error) {
	c := metav1.Condition{Type: causeway.ConditionReady, Status: metav1.ConditionTrue, Reason: "Enforced", Message: "the API server checks cluster Secrets when they are written", ObservedGeneration: object.Generation}
	switch {
	case err == nil:
	case apierrors.IsForbidden(err):
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, "Forbidden", "violations are counted and not refused: the engine may not write policies; see bridge.metadataSchemas of the chart"
	case meta.IsNoMatchError(err):
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, "Unserved", "violations are counted and not refused: the hub serves no ValidatingAdmissionPolicy, which takes Kubernetes 1.30"
	default:
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, "Failed", gitops.Condition(err.Error())
	}
	meta.SetStatusCondition(&object.Status.Conditions, c)
}

func (r *Reconciler) patch(ctx context.Context, before, object *causeway.MetadataSchema) error {
	if equality.Semantic.DeepEqual(before.Status, object.Status) {
		return nil
	}
	if err := r.Hub.Status().Patch(ctx, object, report.StatusFrom(before)); err != nil {
		return client.IgnoreNotFound(err)
	}
	report.Unready(r.Events, object, before.Status.Conditions, object.Status.Conditions)
	return nil
}
