package local

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// AskForRefresh asks the engine to look at every Application that is there
// already. Its status is of an earlier run; the engine takes the request away
// once it has looked, which tells new from old.
func (r *Running) AskForRefresh(ctx context.Context) error {
	config, err := r.HubConfig()
	if err != nil {
		return err
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a client for the hub: %w", err)
	}
	apps := client.Resource(v1alpha1.ApplicationGVR).Namespace(r.Fleet.Namespace)
	list, err := apps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot list the Applications of an earlier run: %w", err)
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, v1alpha1.AnnotationRefresh, v1alpha1.RefreshTypeNormal)
	for i := range list.Items {
		_, err := apps.Patch(ctx, list.Items[i].Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: FieldManager})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("cannot ask for a look at application %s: %w", list.Items[i].Name, err)
		}
	}
	return nil
}
