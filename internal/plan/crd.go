package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// definedBy returns the group and kind of a CustomResourceDefinition's objects.
func definedBy(crd *unstructured.Unstructured) groupKind {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
	return groupKind{group, kind}
}

// scopeWith lets the CustomResourceDefinitions among the manifests tell the
// scope of kinds that the cluster does not serve yet.
func scopeWith(cluster gitops.Scope, manifests []gitops.Manifest) gitops.Scope {
	var coming map[groupKind]bool
	for _, m := range manifests {
		if !gitops.KeyOf(m.Object).IsDefinition() {
			continue
		}
		if coming == nil {
			coming = map[groupKind]bool{}
		}
		scope, _, _ := unstructured.NestedString(m.Object.Object, "spec", "scope")
		coming[definedBy(m.Object)] = scope != "Cluster"
	}
	return func(group, kind string) (namespaced, known bool) {
		if namespaced, known = cluster(group, kind); known {
			return namespaced, known
		}
		namespaced, known = coming[groupKind{group, kind}]
		return namespaced, known
	}
}
