package object

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Placed is an Application and the cluster that it is for: one of Cluster, its
// name, and Server, its address.
type Placed struct {
	Name, Cluster, Server string
	// Made tells that an ApplicationSet made it.
	Made bool
}

// Applications are those of a namespace. They are asked for once: a plan may
// take many clusters away.
func (c *Client) Applications(ctx context.Context, namespace string) ([]Placed, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, asked := c.placed[namespace]; asked {
		return found, nil
	}
	resource := schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}
	var out []Placed
	err := c.list(ctx, resource, namespace, "", func(o *unstructured.Unstructured) {
		one := Placed{Name: o.GetName()}
		one.Cluster, _, _ = unstructured.NestedString(o.Object, "spec", "destination", "name")
		one.Server, _, _ = unstructured.NestedString(o.Object, "spec", "destination", "server")
		by := metav1.GetControllerOf(o)
		one.Made = by != nil && by.Kind == "ApplicationSet"
		out = append(out, one)
	})
	if err != nil && !apierrors.IsNotFound(err) { // not found is the kind
		return nil, fmt.Errorf("cannot list the Applications of namespace %s: %w", namespace, reached(err))
	}
	c.placed[namespace] = out
	return out, nil
}

// list visits objects page by page.
func (c *Client) list(ctx context.Context, resource schema.GroupVersionResource, namespace, labels string, visit func(*unstructured.Unstructured)) error {
	next := ""
	for {
		page, err := c.dynamic.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: labels, Limit: 500, Continue: next})
		if err != nil {
			return err
		}
		for i := range page.Items {
			visit(&page.Items[i])
		}
		if next = page.GetContinue(); next == "" {
			return nil
		}
	}
}
