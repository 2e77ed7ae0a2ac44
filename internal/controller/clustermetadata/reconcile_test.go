package clustermetadata

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

func TestConcernedAreThoseThatAreGoneToo(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", ManagedFields: []metav1.ManagedFieldsEntry{
		{Manager: "terraform"}, {Manager: "causeway-metadata:there"}, {Manager: "causeway-metadata:gone"},
	}}}
	there := []causeway.ClusterMetadata{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "other"}}, {ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "there"}},
	}
	want := []types.NamespacedName{{Namespace: "argocd", Name: "other"}, {Namespace: "argocd", Name: "there"}, {Namespace: "argocd", Name: "gone"}}
	if diff := cmp.Diff(want, Concerned(secret, there)); diff != "" {
		t.Errorf("a write that the cache did not know yet when its ClusterMetadata was deleted stays forever (-want +got):\n%s", diff)
	}
}
