package application

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/report"
)

// mayBring reports whether an operation may bring what was just compared. A window that lets
// go on what began in time means what the engine saw begin, at the destination where it
// did: files that came since, or another cluster, begin now, and wait for a window as
// whatever begins does. The target is the operation's own.
func (r *Reconciler) mayBring(ctx context.Context, out *report.Outcome, t *state.Target, c *state.Comparison) bool {
	if !slices.ContainsFunc(t.Project.Spec.SyncWindows, overruns) {
		return true
	}
	op, brings := &t.App.Status.OperationState.Operation, brings(t, c.Rendering.Digest)
	began, at := operation.Began(op)
	if !at.IsZero() && began == brings {
		return true
	}
	operation.ForgetBegin(op)
	if !at.IsZero() {
		r.attempts.End(client.ObjectKeyFromObject(t.App)) // it is planned anew, as what it is now
		if !r.windowOpen(ctx, out, t) {
			out.Event(corev1.EventTypeWarning, "SyncWaitsForWindow", "What the sync would bring now is not what it began with in time, and waits for a sync window to let it begin")
			return false
		}
	}
	operation.SeeBegin(op, brings, r.Now())
	return true
}

func overruns(w *v1alpha1.SyncWindow) bool { return w != nil && w.SyncOverrun }

// brings names what comes where, and how.
func brings(t *state.Target, digest string) string {
	var namespace v1alpha1.ManagedNamespaceMetadata
	if policy := t.App.Spec.SyncPolicy; policy != nil && policy.ManagedNamespaceMetadata != nil {
		namespace = *policy.ManagedNamespaceMetadata
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q", digest, t.Where(), t.Options, namespace.Labels, namespace.Annotations))
	return hex.EncodeToString(sum[:16])
}
