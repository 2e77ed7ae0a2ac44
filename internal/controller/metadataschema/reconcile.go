package metadataschema

import (
	"context"
	"log/slog"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (_ reconcile.Result, err error) {
	object := &causeway.MetadataSchema{}
	err = r.Objects.Get(ctx, req.NamespacedName, object)
	if apierrors.IsNotFound(err) || err == nil && !object.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, r.remove(ctx, req.NamespacedName)
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	out := r.begin(object)
	defer func() { err = out.end(ctx, err) }()
	schema, err := bridge.NewSchema(object)
	if err != nil {
		out.invalid(err)
		return reconcile.Result{}, nil
	}
	out.valid()
	r.count(object, schema)
	if err := r.enforce(ctx, object, schema); err != nil {
		return reconcile.Result{}, out.failed(err)
	}
	out.enforced()
	return reconcile.Result{}, nil
}

// enforce has the API server check cluster Secrets.
func (r *Reconciler) enforce(ctx context.Context, object *causeway.MetadataSchema, schema bridge.Schema) error {
	if err := r.write(ctx, object, schema); err != nil {
		return err
	}
	return r.tidy(ctx, client.ObjectKeyFromObject(object))
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
