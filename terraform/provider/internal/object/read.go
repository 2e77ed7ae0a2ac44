package object

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Read returns the object of that kind and name as it is, or nothing.
func (c *Client) Read(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	o = o.DeepCopy()
	place, err := c.place(o)
	if errors.Is(err, errNotServed) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", Name(o), err)
	}
	live, err := place.Get(ctx, o.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", Name(o), reached(err))
	}
	return live, nil
}

// Secrets returns the Secrets of a namespace with these labels.
func (c *Client) Secrets(ctx context.Context, namespace, labels string) ([]unstructured.Unstructured, error) {
	var out []unstructured.Unstructured
	err := c.list(ctx, schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, namespace, labels, func(o *unstructured.Unstructured) {
		out = append(out, *o)
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list the Secrets of namespace %s: %w", namespace, reached(err))
	}
	return out, nil
}
