package metadataschema

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// outcome gathers what became of a MetadataSchema; end writes it.
type outcome struct {
	r      *Reconciler
	schema *causeway.MetadataSchema
	before *causeway.MetadataSchema
}

func (r *Reconciler) begin(schema *causeway.MetadataSchema) *outcome {
	return &outcome{r: r, schema: schema, before: schema.DeepCopy()}
}

func (o *outcome) set(kind string, status metav1.ConditionStatus, reason, message string) {
	st := &o.schema.Status
	st.ObservedGeneration = o.schema.Generation
	meta.SetStatusCondition(&st.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: gitops.Condition(message), ObservedGeneration: o.schema.Generation,
	})
}

// invalid: the rules cannot be used. What the API server checks stays as it is.
func (o *outcome) invalid(err error) {
	o.set(causeway.ConditionValid, metav1.ConditionFalse, "Invalid", err.Error())
}

func (o *outcome) valid() {
	o.set(causeway.ConditionValid, metav1.ConditionTrue, "Valid", "the rules can be used")
}

// enforced: the API server refuses what breaks the rules.
func (o *outcome) enforced() {
	o.set(causeway.ConditionReady, metav1.ConditionTrue, "Enforced", "the API server checks cluster Secrets when they are written")
}

// failed: the API server does not check them. That is tried again where it may help.
func (o *outcome) failed(err error) error {
	switch {
	case apierrors.IsForbidden(err):
		o.set(causeway.ConditionReady, metav1.ConditionFalse, "Forbidden", "violations are counted and not refused: the engine may not write policies; see bridge.metadataSchemas of the chart")
	case meta.IsNoMatchError(err):
		o.set(causeway.ConditionReady, metav1.ConditionFalse, "Unserved", "violations are counted and not refused: the hub serves no ValidatingAdmissionPolicy, which takes Kubernetes 1.30")
	default:
		o.set(causeway.ConditionReady, metav1.ConditionFalse, "Failed", err.Error())
	}
	if told(err) {
		return nil // until the schema or the engine's rights change
	}
	return err
}

// told reports whether trying again does not help.
func told(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || meta.IsNoMatchError(err)
}

// end writes the status when it has changed.
func (o *outcome) end(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the engine stops, and the next one looks again
	}
	if written := o.write(ctx); err == nil {
		err = written
	}
	return err
}

func (o *outcome) write(ctx context.Context) error {
	if equality.Semantic.DeepEqual(o.before.Status, o.schema.Status) {
		return nil
	}
	if err := o.r.Hub.Status().Patch(ctx, o.schema, report.StatusFrom(o.before)); err != nil {
		return client.IgnoreNotFound(err)
	}
	report.Unready(o.r.Events, o.schema, o.before.Status.Conditions, o.schema.Status.Conditions)
	return nil
}
