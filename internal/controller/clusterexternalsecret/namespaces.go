package clusterexternalsecret

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// selection is what a ClusterExternalSecret says of namespaces.
type selection struct {
	names     []string
	selectors []labels.Selector
}

// selectionOf is an error where a selector is none: no namespace is then known not to
// be meant.
func selectionOf(one *esv1.ClusterExternalSecret) (selection, error) {
	s := selection{names: one.Spec.Namespaces}
	add := func(field string, of *metav1.LabelSelector) error {
		if of == nil {
			return nil
		}
		selector, err := metav1.LabelSelectorAsSelector(of)
		if err != nil {
			return fmt.Errorf("spec.%s: %w", field, err)
		}
		s.selectors = append(s.selectors, selector)
		return nil
	}
	if err := add("namespaceSelector", one.Spec.NamespaceSelector); err != nil {
		return s, err
	}
	for i, of := range one.Spec.NamespaceSelectors {
		if err := add(fmt.Sprintf("namespaceSelectors[%d]", i), of); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s selection) selects(namespace metav1.Object) bool {
	return slices.Contains(s.names, namespace.GetName()) || slices.ContainsFunc(s.selectors, func(one labels.Selector) bool {
		return one.Matches(labels.Set(namespace.GetLabels()))
	})
}

// namespaces are those that are selected, in the order of their names, and those that
// are about to go, in which nothing can be made any more.
func (r *Reconciler) namespaces(ctx context.Context, s selection) (selected []string, going map[string]bool, err error) {
	all := &metav1.PartialObjectMetadataList{}
	all.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	if err := r.Objects.List(ctx, all, client.UnsafeDisableDeepCopy); err != nil {
		return nil, nil, fmt.Errorf("cannot list the namespaces: %w", err)
	}
	going = map[string]bool{}
	for i := range all.Items {
		one := &all.Items[i]
		switch {
		case one.DeletionTimestamp != nil:
			going[one.Name] = true
		case s.selects(one):
			selected = append(selected, one.Name)
		}
	}
	slices.Sort(selected)
	return selected, going, nil
}
