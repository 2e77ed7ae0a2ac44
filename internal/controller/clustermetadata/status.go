package clustermetadata

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// outcome is what became of the values of a ClusterMetadata.
type outcome struct {
	clusters int
	problems []bridge.Problem
	invalid  error
	again    time.Duration
}

// mostProblems is how many are shown in a status.
const mostProblems = 64

// status is that of a ClusterMetadata; end writes it.
type status struct {
	r      *Reconciler
	object *causeway.ClusterMetadata
	before *causeway.ClusterMetadata
	again  time.Duration
}

func (r *Reconciler) begin(object *causeway.ClusterMetadata) *status {
	return &status{r: r, object: object, before: object.DeepCopy()}
}

// failed: a step of the engine's own failed, and is tried again. What is known of
// single values stays as it was told: not all of them were looked at.
func (s *status) failed(err error) error {
	s.set(metav1.ConditionFalse, "Failed", err.Error())
	return err
}

// wrote: the values are on the clusters, but for the problems.
func (s *status) wrote(out outcome) {
	st := &s.object.Status
	st.Clusters, st.Problems = int32(min(out.clusters, 1<<30)), nil //nolint:gosec // bounded
	for _, p := range out.problems[:min(len(out.problems), mostProblems)] {
		st.Problems = append(st.Problems, causeway.MetadataProblem{Key: p.Key.Name, Cluster: p.Cluster, Message: p.Message})
	}
	s.again = out.again
	switch {
	case out.invalid != nil:
		s.set(metav1.ConditionFalse, "Invalid", out.invalid.Error())
	case len(out.problems) > 0:
		s.set(metav1.ConditionFalse, "Problems", summary(out.problems))
	default:
		s.set(metav1.ConditionTrue, "Written", "the values are on "+gitops.Count(out.clusters, "cluster"))
	}
}

func (s *status) set(is metav1.ConditionStatus, reason, message string) {
	st := &s.object.Status
	st.ObservedGeneration = s.object.Generation
	meta.SetStatusCondition(&st.Conditions, metav1.Condition{
		Type: causeway.ConditionReady, Status: is, Reason: reason, Message: gitops.Condition(message), ObservedGeneration: s.object.Generation,
	})
}

// end writes the status when it has changed.
func (s *status) end(ctx context.Context, err error) (reconcile.Result, error) {
	if ctx.Err() != nil {
		return reconcile.Result{}, nil //nolint:nilerr // the engine stops, and the next one looks again
	}
	if written := s.write(ctx); err == nil {
		err = written
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: s.again}, nil
}

func (s *status) write(ctx context.Context) error {
	if equality.Semantic.DeepEqual(s.before.Status, s.object.Status) {
		return nil
	}
	if err := s.r.Hub.Status().Patch(ctx, s.object, report.StatusFrom(s.before)); err != nil {
		return client.IgnoreNotFound(err)
	}
	report.Unready(s.r.Events, s.object, s.before.Status.Conditions, s.object.Status.Conditions)
	return nil
}

// summary is how many problems there are, and the first.
func summary(problems []bridge.Problem) string {
	text := sentence(problems[0])
	if len(problems) == 1 {
		return text
	}
	return fmt.Sprintf("%d problems; the first: %s", len(problems), text)
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
