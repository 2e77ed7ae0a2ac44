package object

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Apply brings an object to what is wanted. Fields of the object become the
// provider's, whoever had them; fields that others added stay; fields that
// were the provider's and are not wanted any more go.
func (c *Client) Apply(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	place, err := c.awaitPlace(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", Name(o), err)
	}
	live, err := place.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: Manager, Force: true})
	if apierrors.IsNotFound(err) && o.GetNamespace() != "" {
		return nil, fmt.Errorf("cannot write %s: there is no namespace %s: make it first, or let causeway_install make it", Name(o), o.GetNamespace())
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", Name(o), reached(err))
	}
	return live, nil
}

// Name is how messages call an object.
func Name(o *unstructured.Unstructured) string {
	if o.GetNamespace() == "" {
		return o.GetKind() + " " + o.GetName()
	}
	return o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
}
