package watched

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Target is what is watched: objects of one kind.
type Target struct {
	Kind schema.GroupVersionKind
	// Namespace of the objects; empty for all, and for what has none.
	Namespace string
	// Name of the one object: the right to watch that name is enough then. All
	// are watched where it is empty.
	Name string
	// Labels is a selector as text; empty for all.
	Labels string
}

func (t Target) String() string {
	out := t.Kind.Kind
	if where := gitops.NameIn(t.Namespace, t.Name); where != "" {
		out += " " + where
	}
	if t.Labels != "" {
		out += " (" + t.Labels + ")"
	}
	return out
}

func (t Target) options() ([]client.ListOption, error) {
	selector, err := labels.Parse(t.Labels)
	if err != nil {
		return nil, fmt.Errorf("cannot read the selector %q: %w", t.Labels, err)
	}
	out := []client.ListOption{client.InNamespace(t.Namespace), client.MatchingLabelsSelector{Selector: selector}}
	if t.Name != "" {
		out = append(out, client.MatchingFields{metav1.ObjectNameField: t.Name})
	}
	return out, nil
}
