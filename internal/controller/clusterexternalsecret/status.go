package clusterexternalsecret

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Conditions, as External Secrets has them. What failed is told by Ready, as its current
// releases do, and after that by one of the others, as older ones did: Argo CD's health
// of the kind goes by the last condition, and knows these alone.
const (
	conditionReady     = "Ready"
	conditionPartially = "PartiallyReady"
	conditionNot       = "NotReady"

	longestMessage = 1_000
	longestReason  = 300
	// mostFailed bounds the namespaces whose reasons are told: an object has 1.5 MiB.
	mostFailed = 1_000
)

// unfinished says that there is more to do, and what failed until now, in this turn or
// before it.
func (r *Reconciler) unfinished(ctx context.Context, one *esv1.ClusterExternalSecret, t *turn) error {
	before := one.DeepCopy()
	tried := map[string]bool{}
	for _, namespace := range t.provisioned {
		tried[namespace] = true
	}
	for _, f := range t.failed {
		tried[f.Namespace] = true
	}
	for namespace, reason := range t.before {
		if !tried[namespace] {
			t.failed = append(t.failed, esv1.FailedNamespace{Namespace: namespace, Reason: reason})
		}
	}
	t.sort()
	one.Status.FailedNamespaces = t.failed[:min(len(t.failed), mostFailed)]
	return r.write(ctx, before, one, esv1.Condition{Status: string(metav1.ConditionUnknown), Message: "the namespaces are being provisioned"})
}

// report writes what came of a turn into the status.
func (r *Reconciler) report(ctx context.Context, one *esv1.ClusterExternalSecret, t *turn, failure error) error {
	before := one.DeepCopy()
	ready := esv1.Condition{Status: string(metav1.ConditionTrue), Message: fmt.Sprintf("%d namespaces are provisioned", len(t.provisioned))}
	switch {
	case failure != nil:
		ready.Status, ready.Message = string(metav1.ConditionFalse), gitops.First(failure.Error(), longestMessage)
	case len(t.failed)+len(t.kept) > 0:
		ready.Status, ready.Message = string(metav1.ConditionFalse), t.told()
	}
	one.Status.ExternalSecretName = t.name
	if failure == nil {
		one.Status.ProvisionedNamespaces = t.provisioned
		one.Status.FailedNamespaces = t.failed[:min(len(t.failed), mostFailed)]
	}
	return r.write(ctx, before, one, ready)
}

// told names the first namespace that failed, and the first ExternalSecret that could not
// be deleted: people look at the condition first.
func (t *turn) told() string {
	var kept string
	if n := len(t.kept); n > 0 {
		kept = fmt.Sprintf("%d cannot be deleted, such as: %v", n, t.kept[0])
	}
	if len(t.failed) == 0 {
		return gitops.First(kept, longestMessage)
	}
	if kept != "" {
		kept = "; " + kept
	}
	first := t.failed[0]
	return gitops.First(fmt.Sprintf("one or more namespaces failed: %d of %d, such as %s: %s", len(t.failed), len(t.failed)+len(t.provisioned), first.Namespace, first.Reason)+kept, longestMessage)
}

func (r *Reconciler) write(ctx context.Context, before, one *esv1.ClusterExternalSecret, ready esv1.Condition) error {
	one.Status.Conditions = conditions(one, ready, metav1.NewTime(r.Now()))
	if equality.Semantic.DeepEqual(before.Status, one.Status) {
		return nil
	}
	if err := r.Cluster.Status().Patch(ctx, one, report.StatusFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot write the status of ClusterExternalSecret %s: %w", one.Name, err)
	}
	return nil
}

// conditions are Ready, and where that is False what is left of it, as the last one.
func conditions(one *esv1.ClusterExternalSecret, ready esv1.Condition, at metav1.Time) []esv1.Condition {
	ready.Type = conditionReady
	types := []string{conditionReady}
	if ready.Status == string(metav1.ConditionFalse) {
		kind := conditionNot
		if len(one.Status.ProvisionedNamespaces) > 0 {
			kind = conditionPartially
		}
		types = append(types, kind)
	}
	var all []esv1.Condition
	for _, kind := range types {
		for _, last := range one.Status.Conditions {
			if last.Type == kind {
				all = append(all, last)
			}
		}
		now := ready
		if now.Type = kind; kind != conditionReady {
			now.Status = string(metav1.ConditionTrue)
		}
		all = esv1.WithCondition(all, now, at)
	}
	return all
}
