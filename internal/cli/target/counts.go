package target

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// Counts has all applications, to be counted by cluster.
func Counts(ctx context.Context, h *Hub) (fleetstatus.Snapshot, error) {
	var s fleetstatus.Snapshot
	list := &v1alpha1.ApplicationList{}
	if err := h.Client.List(ctx, list, client.InNamespace(h.Namespace)); err != nil {
		return s, err
	}
	servers, err := ClusterNames(ctx, h)
	if err != nil {
		return s, err
	}
	for i := range list.Items {
		s.Apps = append(s.Apps, fleetstatus.AppOf(&list.Items[i], servers))
	}
	return s, nil
}
