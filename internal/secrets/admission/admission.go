// Package admission says which namespaces may use a store, and which provider one names: of what a store says alone,
// so that a cluster and a look at manifests decide it alike. It reads nothing.
package admission

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Provider is the name of the one that a store has, and what the store tells it, in JSON. The error is to be read
// behind the store's name.
func Provider(spec esv1.SecretStoreSpec) (name string, config []byte, err error) {
	names := slices.Sorted(maps.Keys(spec.Provider))
	if len(names) != 1 {
		return "", nil, fmt.Errorf("has to name one provider, and names %d (%s)", len(names), strings.Join(names, ", "))
	}
	return names[0], spec.Provider[names[0]].Raw, nil
}

// Selects reports whether conditions ask for the labels of a namespace.
func Selects(conditions []esv1.StoreCondition) bool {
	return slices.ContainsFunc(conditions, func(c esv1.StoreCondition) bool { return c.NamespaceSelector != nil })
}

// Admits reports whether one of some conditions lets a namespace with these labels use the store; all may where there
// are none.
func Admits(conditions []esv1.StoreCondition, namespace string, set labels.Set) (bool, error) {
	if len(conditions) == 0 {
		return true, nil
	}
	for i, one := range conditions {
		ok, err := admits(one, namespace, set)
		if err != nil {
			return false, fmt.Errorf("spec.conditions[%d]: %w", i, err)
		}
		if ok {
			return true, nil
		}
	}
	return false, nil
}

func admits(c esv1.StoreCondition, namespace string, set labels.Set) (bool, error) {
	if slices.Contains(c.Namespaces, namespace) {
		return true, nil
	}
	if c.NamespaceSelector != nil {
		selector, err := metav1.LabelSelectorAsSelector(c.NamespaceSelector)
		if err != nil {
			return false, fmt.Errorf("namespaceSelector: %w", err)
		}
		if selector.Matches(set) {
			return true, nil
		}
	}
	for _, text := range c.NamespaceRegexes {
		pattern, err := regexp.Compile(text)
		if err != nil {
			return false, fmt.Errorf("namespaceRegexes: %w", err)
		}
		if pattern.MatchString(namespace) {
			return true, nil
		}
	}
	return false, nil
}
