package object

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Workloads returns the Deployments and StatefulSets of a namespace.
func (c *Client) Workloads(ctx context.Context, namespace string) ([]unstructured.Unstructured, error) {
	var out []unstructured.Unstructured
	for _, resource := range []string{"deployments", "statefulsets"} {
		at := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: resource}
		err := c.list(ctx, at, namespace, "", func(o *unstructured.Unstructured) { out = append(out, *o) })
		if err != nil {
			return nil, fmt.Errorf("cannot list the %s of namespace %s: %w", resource, namespace, reached(err))
		}
	}
	return out, nil
}
