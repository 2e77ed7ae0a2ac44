package object

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// releases is how often an object may change while it is released.
const releases = 5

// Release takes away what the provider alone wrote of an object. One that
// nobody else wrote to is removed.
func (c *Client) Release(ctx context.Context, o *unstructured.Unstructured, within time.Duration) error {
	var err error
	for range releases {
		if err = c.release(ctx, o, within); !errors.Is(err, errMoved) {
			return err
		}
	}
	return err
}

func (c *Client) release(ctx context.Context, o *unstructured.Unstructured, within time.Duration) error {
	live, err := c.Read(ctx, o)
	if err != nil || live == nil {
		return err
	}
	uid, version := live.GetUID(), live.GetResourceVersion()
	if !slices.ContainsFunc(live.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool { return m.Manager != Manager && m.Subresource == "" }) {
		return c.remove(ctx, live, metav1.Preconditions{UID: &uid, ResourceVersion: &version}, within)
	}
	bare := &unstructured.Unstructured{}
	bare.SetGroupVersionKind(o.GroupVersionKind())
	bare.SetNamespace(o.GetNamespace())
	bare.SetName(o.GetName())
	bare.SetUID(uid) // else one that is gone by now would be made anew
	place, err := c.place(bare)
	if errors.Is(err, errNotServed) {
		return nil
	}
	if err == nil {
		_, err = place.Apply(ctx, bare.GetName(), bare, metav1.ApplyOptions{FieldManager: Manager, Force: true})
	}
	if apierrors.IsConflict(err) {
		err = errMoved
	}
	if err != nil {
		return fmt.Errorf("cannot release %s: %w", Name(o), reached(err))
	}
	return nil
}
