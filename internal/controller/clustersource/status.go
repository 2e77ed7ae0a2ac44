package clustersource

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// outcome gathers what became of a ClusterSource; end writes it.
type outcome struct {
	r      *Reconciler
	source *causeway.ClusterSource
	before *causeway.ClusterSource
	// again is after how long the source is looked at again; 0 where news wake it.
	again time.Duration

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

func (r *Reconciler) begin(source *causeway.ClusterSource) *outcome {
	return &outcome{r: r, source: source, before: source.DeepCopy()}
}

// invalid: the spec cannot be carried out as it is. The clusters stay as they are.
func (o *outcome) invalid(err error) {
	o.problemf("%v", err)
	o.set(metav1.ConditionFalse, "Problems", o.told())
}

// failed: a step of the engine's own failed, and is tried again. How many clusters are
// kept is not known then: it stays as it was told. Why is told first, before what may be
// wrong with single kubeconfigs.
func (o *outcome) failed(err error) error {
	o.problems = slices.Insert(o.problems, 0, gitops.First(err.Error(), mostSaid))
	o.set(metav1.ConditionFalse, "Failed", o.told())
	return err
}

// followed: the cluster Secrets are as the kubeconfigs say, but for the problems.
func (o *outcome) followed() {
	o.source.Status.Clusters = int32(min(o.clusters, 1<<30)) //nolint:gosec // bounded
	if o.source.Spec.ClusterAPI != nil {
		o.again = labelPause
	}
	if o.waits {
		o.again = o.r.Kept
	}
	if len(o.problems) > 0 {
		o.set(metav1.ConditionFalse, "Problems", o.told())
		return
	}
	o.set(metav1.ConditionTrue, "Followed", fmt.Sprintf("%d clusters are kept", o.clusters))
}

func (o *outcome) set(status metav1.ConditionStatus, reason, message string) {
	st := &o.source.Status
	st.ObservedGeneration = o.source.Generation
	meta.SetStatusCondition(&st.Conditions, metav1.Condition{
		Type: causeway.ConditionReady, Status: status, Reason: reason, Message: message, ObservedGeneration: o.source.Generation,
	})
}

// end writes the status when it has changed.
func (o *outcome) end(ctx context.Context, err error) (reconcile.Result, error) {
	if ctx.Err() != nil {
		return reconcile.Result{}, nil //nolint:nilerr // the engine stops, and the next one looks again
	}
	if written := o.write(ctx); err == nil {
		err = written
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: o.again}, nil
}

func (o *outcome) write(ctx context.Context) error {
	if equality.Semantic.DeepEqual(o.before.Status, o.source.Status) {
		return nil
	}
	return client.IgnoreNotFound(o.r.Hub.Status().Patch(ctx, o.source, report.StatusFrom(o.before)))
}
