package applicationset

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// RefreshAsked lets through updates that ask for a refresh.
func RefreshAsked() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(u event.UpdateEvent) bool {
		before, had := u.ObjectOld.GetAnnotations()[v1alpha1.AnnotationApplicationSetRefresh]
		now, has := u.ObjectNew.GetAnnotations()[v1alpha1.AnnotationApplicationSetRefresh]
		return has && (!had || now != before)
	}}
}

// refresh looks anew at what a set reads, where its annotation asks for that.
// The function it returns takes the annotation away once the set was expanded.
// That is also done after a failure, unlike in Argo CD: the set's conditions
// tell of it, and hosts need not be asked for all again with every attempt.
func (r *Reconciler) refresh(ctx context.Context, set *v1alpha1.ApplicationSet) (done func() error) {
	value, asked := set.Annotations[v1alpha1.AnnotationApplicationSetRefresh]
	if !asked {
		return func() error { return nil }
	}
	r.lookAnew(client.ObjectKeyFromObject(set))
	return func() error { return r.refreshed(ctx, set, value) }
}

// refreshed takes away this request and no later one.
func (r *Reconciler) refreshed(ctx context.Context, set *v1alpha1.ApplicationSet, value string) error {
	patch, err := withdrawn(value)
	if err == nil {
		err = r.client.Patch(ctx, set.DeepCopy(), client.RawPatch(types.JSONPatchType, patch))
	}
	if err != nil && !overtaken(err) {
		return fmt.Errorf("cannot take away the annotation %s: %w", v1alpha1.AnnotationApplicationSetRefresh, err)
	}
	return nil
}

// overtaken tells that the set is gone, or its annotation is, or is another
// request by now.
func overtaken(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsInvalid(err) }

// annotationPath is the annotation as a JSON pointer.
const annotationPath = "/metadata/annotations/argocd.argoproj.io~1application-set-refresh"

// withdrawn is a JSON patch that removes the annotation if it has a value.
func withdrawn(value string) ([]byte, error) {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value string `json:"value"`
	}
	return json.Marshal([]operation{{"test", annotationPath, value}, {Op: "remove", Path: annotationPath}})
}
