package route

import (
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// IsOrWas lets through what happens to objects of a sort, also that one becomes of
// another: a Secret that describes a repository now describes no cluster any more.
func IsOrWas(is func(client.Object) bool) predicate.Predicate {
	of := predicate.NewPredicateFuncs(is)
	of.UpdateFunc = func(u event.UpdateEvent) bool { return is(u.ObjectOld) || is(u.ObjectNew) }
	return of
}

// WrittenByOthers lets through what a person or a set writes of an Application, also the
// end of an operation, and not the status that the engine writes itself.
func WrittenByOthers() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(u event.UpdateEvent) bool {
		a, ok1 := u.ObjectOld.(*v1alpha1.Application)
		b, ok2 := u.ObjectNew.(*v1alpha1.Application)
		if !ok1 || !ok2 {
			return true
		}
		return !reflect.DeepEqual(a.Spec, b.Spec) || (b.Operation != nil && !reflect.DeepEqual(a.Operation, b.Operation)) ||
			!reflect.DeepEqual(a.Annotations, b.Annotations) || !a.DeletionTimestamp.Equal(b.DeletionTimestamp) || b.Status.OperationState.Terminating() && !a.Status.OperationState.Terminating() || a.Outlined != b.Outlined
	}}
}

// Outlined lets through the updates by which a set takes too much to be kept, or
// no longer does: its status alone is no new generation.
func Outlined() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(u event.UpdateEvent) bool {
		a, ok1 := u.ObjectOld.(*v1alpha1.ApplicationSet)
		b, ok2 := u.ObjectNew.(*v1alpha1.ApplicationSet)
		return ok1 && ok2 && a.Outlined != b.Outlined
	}}
}
