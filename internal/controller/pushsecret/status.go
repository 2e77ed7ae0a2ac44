package pushsecret

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Conditions and reasons, as External Secrets has them.
const (
	conditionReady = "Ready"

	reasonSynced  = "Synced"
	reasonErrored = "Errored"

	longestMessage = 1_000
)

// report writes what became of a turn into the status; also of one that failed, what was
// written until then.
func (r *Reconciler) report(ctx context.Context, one *v1alpha1.PushSecret, t *turn, failure error) error {
	before := one.DeepCopy()
	ready := esv1.Condition{Type: conditionReady, Status: string(metav1.ConditionTrue), Reason: reasonSynced, Message: "PushSecret synced successfully"}
	if failure != nil {
		ready.Status, ready.Reason, ready.Message = string(metav1.ConditionFalse), reasonErrored, gitops.First(failure.Error(), longestMessage)
	} else {
		one.Status.RefreshTime = metav1.NewTime(r.Now())
		one.Status.SyncedResourceVersion = syncedVersion(one)
	}
	one.Status.SyncedPushSecrets = t.synced
	one.Status.Conditions = esv1.WithCondition(one.Status.Conditions, ready, metav1.NewTime(r.Now()))
	if equality.Semantic.DeepEqual(before.Status, one.Status) {
		return nil
	}
	if err := r.Cluster.Status().Patch(ctx, one, report.StatusFrom(before)); client.IgnoreNotFound(err) != nil {
		r.noted(one.UID, t.synced)
		return fmt.Errorf("cannot write the status of PushSecret %s/%s: %w", one.Namespace, one.Name, err)
	}
	r.noted(one.UID, nil)
	return nil
}

// noted keeps what the status does not say for the next turn; nil is that it says all.
func (r *Reconciler) noted(of types.UID, lacking synced) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if lacking == nil {
		delete(r.unnoted, of)
		return
	}
	r.unnoted[of] = lacking
}

func labelSet(all map[string]string) labels.Set { return labels.Set(all) }
