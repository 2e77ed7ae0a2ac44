package externalsecret

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Conditions and reasons, as External Secrets has them.
const (
	conditionReady = "Ready"

	reasonSynced  = "SecretSynced"
	reasonError   = "SecretSyncedError"
	reasonDeleted = "SecretDeleted"
	reasonMissing = "SecretMissing"
)

// outcome is what became of a refresh.
type outcome struct{ reason, message string }

const upToDate = "the Secret is up to date"

const longestMessage = 1_000

// report writes what became of a refresh into the status.
func (r *Reconciler) report(ctx context.Context, one *esv1.ExternalSecret, o outcome, failure error) error {
	before := one.DeepCopy()
	ready := esv1.Condition{Type: conditionReady, Status: string(metav1.ConditionTrue), Reason: o.reason, Message: o.message}
	if failure != nil {
		ready.Status, ready.Reason, ready.Message = string(metav1.ConditionFalse), reasonError, stale(one, failure)
	} else {
		one.Status.RefreshTime = metav1.NewTime(r.Now())
		one.Status.SyncedResourceVersion = syncedVersion(one)
		one.Status.Binding = &esv1.LocalObjectReference{Name: target(one).Name}
	}
	one.Status.Conditions = esv1.WithCondition(one.Status.Conditions, ready, metav1.NewTime(r.Now()))
	err := r.Cluster.Status().Patch(ctx, one, report.StatusFrom(before))
	if apierrors.IsNotFound(err) {
		return nil // it is gone
	}
	if err != nil {
		return fmt.Errorf("cannot write the status of ExternalSecret %s: %w", nameOf(one), err)
	}
	r.stands(one)
	if failure == nil {
		r.remember(one)
	}
	return nil
}

// told is what a status was told of a refresh, and the object's version with it.
type told struct {
	uid     types.UID
	version string
	at      metav1.Time
	synced  string
}

func (r *Reconciler) remember(one *esv1.ExternalSecret) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told[nameOf(one)] = told{one.UID, one.ResourceVersion, one.Status.RefreshTime, one.Status.SyncedResourceVersion}
}

// recall puts in what a status was told which the cache does not know yet: a second refresh
// would make other passwords and credentials, for which pods are restarted again.
func (r *Reconciler) recall(one *esv1.ExternalSecret) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, ok := r.told[nameOf(one)]
	if !ok || last.uid != one.UID {
		return
	}
	if order, err := resourceversion.CompareResourceVersion(one.ResourceVersion, last.version); err == nil && order < 0 {
		one.Status.RefreshTime, one.Status.SyncedResourceVersion = last.at, last.synced
	}
}

// condition writes another text of a Secret that is as it should be.
func (r *Reconciler) condition(ctx context.Context, one *esv1.ExternalSecret, reason, message string) error {
	before := one.DeepCopy()
	ready := esv1.Condition{Type: conditionReady, Status: string(metav1.ConditionTrue), Reason: reason, Message: message}
	one.Status.Conditions = esv1.WithCondition(one.Status.Conditions, ready, metav1.NewTime(r.Now()))
	err := r.Cluster.Status().Patch(ctx, one, report.StatusFrom(before))
	if err == nil {
		r.stands(one)
	}
	return client.IgnoreNotFound(err)
}

// stale is the text of a failure, with since when the Secret is as it is.
func stale(one *esv1.ExternalSecret, failure error) string {
	text := gitops.First(failure.Error(), longestMessage)
	if one.Status.RefreshTime.IsZero() {
		return text
	}
	return fmt.Sprintf("%s; the Secret is as it was at %s", text, one.Status.RefreshTime.UTC().Format("2006-01-02T15:04:05Z"))
}
