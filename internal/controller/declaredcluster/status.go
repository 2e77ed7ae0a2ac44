package declaredcluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// outcome gathers what became of a Cluster; end writes it.
type outcome struct {
	r       *Reconciler
	cluster *causeway.Cluster
	before  *causeway.Cluster
	again   time.Duration
	// over tells that the object is gone: there is no status any more.
	over bool
}

func (r *Reconciler) begin(c *causeway.Cluster) *outcome {
	out := &outcome{r: r, cluster: c, before: c.DeepCopy(), again: r.Retry}
	c.Status.ObservedGeneration = c.Generation
	out.set(causeway.ConditionValid, metav1.ConditionTrue, "Valid", "")
	return out
}

func (o *outcome) set(kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&o.cluster.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: gitops.Condition(message), ObservedGeneration: o.cluster.Generation,
	})
}

// protected reports whether a deletion is refused, and shows that.
func (o *outcome) protected() bool {
	if !o.cluster.Spec.Protected {
		return false
	}
	o.set(causeway.ConditionDeletable, metav1.ConditionFalse, "Protected",
		"the deletion was asked for and is refused, because spec.protected is true: set it to false to let the cluster go; it cannot be taken back")
	return true
}

// invalid: the spec cannot be carried out as it is.
func (o *outcome) invalid(err error) error {
	o.set(causeway.ConditionValid, metav1.ConditionFalse, "Invalid", err.Error())
	return o.failed(err)
}

// failed: the cluster is not there yet, or cannot be used. What the driver and
// the cluster say goes into the status; other errors are tried again.
func (o *outcome) failed(err error) error {
	var p *gitops.Problem
	if !errors.As(err, &p) {
		o.cluster.Status.Phase = causeway.ClusterFailed
		o.set(causeway.ConditionReady, metav1.ConditionFalse, "Failed", err.Error())
		return err
	}
	o.cluster.Status.Phase = causeway.ClusterFailed
	if p.Kind == gitops.NotReady {
		o.cluster.Status.Phase = causeway.ClusterProvisioning
	}
	o.set(causeway.ConditionReady, metav1.ConditionFalse, reasons[p.Kind], p.Error())
	return nil
}

// reasons of a cluster that is not ready.
var reasons = map[gitops.ProblemKind]string{
	gitops.Invalid: "Invalid", gitops.NotFound: "NotFound", gitops.Unreachable: "Unreachable", gitops.Refused: "Refused",
	gitops.Forbidden: "Forbidden", gitops.NotReady: "Provisioning", gitops.NotMirrored: "NotMirrored",
}

func (o *outcome) ready(server, version string) {
	st := &o.cluster.Status
	st.Phase, st.Server, st.Version, st.SecretName = causeway.ClusterReady, server, version, o.cluster.Name
	o.set(causeway.ConditionReady, metav1.ConditionTrue, "Ready", "the cluster answers, and Secret "+o.cluster.Name+" describes it")
	o.again = lookPause
}

// ReasonHeld is that of a deletion that waits for an approval.
const ReasonHeld = "DeletionHeld"

// draining: Applications are on the cluster still.
func (o *outcome) draining(left remainder, down error) {
	o.cluster.Status.Phase = causeway.ClusterDraining
	reason, message := "ApplicationsLeft", left.String()
	if left.held != "" {
		reason = ReasonHeld
	}
	if down != nil {
		message += "; the cluster is not there for them: " + down.Error()
	}
	o.set(causeway.ConditionDeletable, metav1.ConditionFalse, reason, message)
	o.set(causeway.ConditionReady, metav1.ConditionFalse, "Draining", message)
	o.again = drainPause
	if left.news {
		o.again = time.Second
	}
}

// deleting: the driver takes the cluster away, or cannot.
func (o *outcome) deleting(err error) error {
	o.cluster.Status.Phase = causeway.ClusterDeleting
	o.set(causeway.ConditionReady, metav1.ConditionFalse, "Deleting", err.Error())
	var p *gitops.Problem
	if !errors.As(err, &p) {
		return err
	}
	if p.Kind != gitops.NotReady {
		o.set(causeway.ConditionDeletable, metav1.ConditionFalse, reasons[p.Kind], err.Error())
		return nil
	}
	o.set(causeway.ConditionDeletable, metav1.ConditionTrue, "Deleting", "no application is left on the cluster")
	return nil
}

// stuck: a step of the deletion failed. It is tried again.
func (o *outcome) stuck(err error) error {
	if err == nil || apierrors.IsConflict(err) || errors.Is(err, context.Canceled) {
		return err // who wrote at the same time wakes it again
	}
	o.set(causeway.ConditionDeletable, metav1.ConditionFalse, "Failed", err.Error())
	return err
}

// gone: the object has been let go.
func (o *outcome) gone(err error) error {
	o.over = err == nil
	return err
}

// end writes the status when it has changed.
func (o *outcome) end(ctx context.Context, err error) (reconcile.Result, error) {
	if o.over {
		o.r.forget(client.ObjectKeyFromObject(o.cluster))
		return reconcile.Result{}, nil
	}
	if ctx.Err() != nil {
		return reconcile.Result{}, nil //nolint:nilerr // the engine stops, and the next one looks again
	}
	if written := o.write(ctx); written != nil && err == nil {
		err = written
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: o.again}, nil
}

func (o *outcome) write(ctx context.Context) error {
	now := o.cluster.Status
	if equality.Semantic.DeepEqual(o.before.Status, now) {
		return nil
	}
	if o.before.Status.Phase != now.Phase {
		o.tell(now)
	}
	base := o.cluster.DeepCopy()
	base.Status = o.before.Status
	if err := o.r.Client.Status().Patch(ctx, o.cluster, report.StatusFrom(base)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot write the status of cluster %s: %w", o.cluster.Name, err)
	}
	return nil
}

// tell records that a Cluster got into another phase.
func (o *outcome) tell(now causeway.ClusterStatus) {
	kind, message := corev1.EventTypeNormal, ""
	if c := meta.FindStatusCondition(now.Conditions, causeway.ConditionReady); c != nil {
		message = c.Message
	}
	if now.Phase == causeway.ClusterFailed {
		kind = corev1.EventTypeWarning
	}
	o.r.Events.Event(o.cluster, kind, "Cluster"+string(now.Phase), message)
}
