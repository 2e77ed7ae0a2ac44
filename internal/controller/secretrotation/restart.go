package secretrotation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// manager owns the annotation of pod templates, apart from what applications own.
const manager = "causeway-secrets-restart"

// restart has the pods of a workload be replaced, as its template changes. It gives the
// workload's generation then; 0 for one that is gone, or is another one by now.
func (r *Reconciler) restart(ctx context.Context, w workload, changed time.Time) (generation int64, err error) {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": w.GetUID()},
		"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{"annotations": map[string]any{
			annotationMark: changed.UTC().Format(time.RFC3339),
		}}}},
	})
	if err != nil {
		return 0, err
	}
	one := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: w.GetNamespace(), Name: w.GetName()}}
	one.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind(w.kind))
	err = r.Writer.Patch(ctx, one, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(manager))
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("cannot restart %s %s: %w", w.kind, w.GetName(), err)
	}
	return one.GetGeneration(), nil
}
