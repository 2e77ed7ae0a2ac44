package applicationset

import (
	"context"

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
	r.LookAnew(client.ObjectKeyFromObject(set))
	return func() error {
		_, err := r.withdraw(ctx, set, v1alpha1.AnnotationApplicationSetRefresh, value) // this request and no later one
		return err
	}
}
