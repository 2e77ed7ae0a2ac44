package object

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Release takes away what the provider alone wrote of an object. One that
// nobody else wrote to is removed.
func (c *Client) Release(ctx context.Context, o *unstructured.Unstructured, within time.Duration) error {
	live, err := c.Read(ctx, o)
	if err != nil || live == nil {
		return err
	}
	if !slices.ContainsFunc(live.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool { return m.Manager != Manager && m.Subresource == "" }) {
		return c.Remove(ctx, o, within)
	}
	bare := &unstructured.Unstructured{}
	bare.SetGroupVersionKind(o.GroupVersionKind())
	bare.SetNamespace(o.GetNamespace())
	bare.SetName(o.GetName())
	place, err := c.place(bare)
	if errors.Is(err, errNotServed) {
		return nil
	}
	if err == nil {
		_, err = place.Apply(ctx, bare.GetName(), bare, metav1.ApplyOptions{FieldManager: Manager, Force: true})
	}
	if err != nil {
		return fmt.Errorf("cannot release %s: %w", Name(o), reached(err))
	}
	return nil
}
