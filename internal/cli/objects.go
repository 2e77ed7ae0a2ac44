package cli

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// liveObjects reads live objects of any kind from a cluster.
type liveObjects struct {
	client dynamic.Interface
	mapper meta.RESTMapper
}

func newLiveObjects(config *rest.Config) (*liveObjects, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client: %w", err)
	}
	catalogue, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client: %w", err)
	}
	return &liveObjects{client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(catalogue))}, nil
}

// get returns an object, or nil when it is not there or its kind is not served.
func (l *liveObjects) get(ctx context.Context, key gitops.Key, version string) (*unstructured.Unstructured, error) {
	resource, err := l.resource(schema.GroupVersionKind{Group: key.Group, Version: version, Kind: key.Kind}, key.Namespace)
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	object, err := resource.Get(ctx, key.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return object, err
}

// List lists the objects of a kind; none when the kind is not served.
func (l *liveObjects) List(ctx context.Context, gvk schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error) {
	resource, err := l.resource(gvk, namespace)
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := resource.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

func (l *liveObjects) resource(gvk schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := l.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	if namespace == "" || mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return l.client.Resource(mapping.Resource), nil
	}
	return l.client.Resource(mapping.Resource).Namespace(namespace), nil
}
