package plan

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// NewOwners are the owners that the sources give an object that is there without
// them. Where none of its owners exists, Kubernetes deletes it at once.
func NewOwners(live *gitops.Live, desired *unstructured.Unstructured) []metav1.OwnerReference {
	return slices.DeleteFunc(desired.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return slices.Contains(live.Owners, o.UID) })
}

// refuseOwners refuses to give another application's object to an owner: it would
// go with that, and the other application would not be asked.
func (m *maker) refuseOwners(a *gitops.Action, holder string) {
	if m.Heal || a.Fault != nil || len(NewOwners(a.Live, a.Desired.Object)) == 0 {
		return
	}
	a.Fault = gitops.Problemf(gitops.Forbidden, "cannot apply %s: it is part of application %s, and would be deleted with the owners that its ownerReferences give it", a.Key, holder).
		At(a.Desired.Origin).Do("take metadata.ownerReferences out of it")
}
