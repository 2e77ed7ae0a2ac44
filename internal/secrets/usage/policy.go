package usage

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Says is what the annotations of a workload, an ExternalSecret or a store say of restarts; stated is false where they
// say nothing. Any other value than "true" is a no, also an empty one.
func Says(annotations map[string]string) (restart, stated bool) {
	text, stated := annotations[esv1.AnnotationRestart]
	return text == "true", stated
}

// Stores are those that an ExternalSecret names, each once, its own first. All have a say in restarts.
func Stores(one *esv1.ExternalSecret) []esv1.SecretStoreRef {
	var refs []esv1.SecretStoreRef
	add := func(ref esv1.SecretStoreRef) {
		if ref.Name != "" && !slices.Contains(refs, ref) { // a generator alone has no store
			refs = append(refs, ref)
		}
	}
	add(one.Spec.SecretStoreRef)
	for i := range one.Spec.Data {
		if source := one.Spec.Data[i].SourceRef; source != nil {
			add(source.SecretStoreRef)
		}
	}
	for i := range one.Spec.DataFrom {
		if source := one.Spec.DataFrom[i].SourceRef; source != nil && source.SecretStoreRef != nil {
			add(*source.SecretStoreRef)
		}
	}
	return refs
}

// StoreKey is where a store is that an ExternalSecret of the namespace names.
func StoreKey(namespace string, ref esv1.SecretStoreRef) types.NamespacedName {
	if ref.Kind == esv1.ClusterSecretStoreKind {
		namespace = ""
	}
	return types.NamespacedName{Namespace: namespace, Name: ref.Name}
}
