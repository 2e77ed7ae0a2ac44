package plan

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// createNamespace makes the Namespace of CreateNamespace=true. An application
// that brings the Namespace itself keeps its own.
func (s *Set) createNamespace(w Want) error {
	if value, _ := w.Options.Value(v1alpha1.SyncOptionCreateNamespace); value != "true" || s.namespace == "" {
		return nil
	}
	key := gitops.Key{Kind: "Namespace", Name: s.namespace}
	for i := range s.Objects {
		if s.Objects[i].Key == key {
			return nil
		}
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": s.namespace},
	}}
	if policy := w.App.Spec.SyncPolicy; policy != nil && policy.ManagedNamespaceMetadata != nil {
		object.SetLabels(policy.ManagedNamespaceMetadata.Labels)
		// Argo CD, which may look after the Namespace too, applies it by this option.
		annotations := map[string]string{gitops.AnnotationSync: v1alpha1.SyncOptionServerSideApply + "=true"}
		maps.Copy(annotations, policy.ManagedNamespaceMetadata.Annotations)
		object.SetAnnotations(annotations)
		s.disown(object, "spec.syncPolicy.managedNamespaceMetadata.annotations", gitops.Origin{})
	}
	sum, err := digest(object.Object, gitops.Ignore{}, gitops.Drift{})
	if err != nil {
		return err
	}
	s.Namespace = &Object{Manifest: gitops.Manifest{Object: object}, Key: key, Digest: sum, Options: s.options}
	return nil
}

// bare reports whether nothing but the existence of the Namespace is asked for: an
// existing one is then left alone.
func (o *Object) bare() bool {
	return len(o.Object.GetLabels()) == 0 && len(o.Object.GetAnnotations()) == 0
}
