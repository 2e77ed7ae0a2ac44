// Package object applies, reads and removes single objects of a cluster in the
// provider's name, and tells what of an object is the provider's.
package object

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Manager is the field manager: keys of others stay theirs.
const Manager = "causeway-terraform"

// How long a kind that is not served yet is waited for: the same apply may
// have installed its definition a moment ago.
const (
	kindWait = 30 * time.Second
	kindPoll = 250 * time.Millisecond
)

// Client talks to one cluster.
type Client struct {
	dynamic   dynamic.Interface
	discovery discovery.DiscoveryInterface
	now       func() time.Time

	mu     sync.Mutex
	placed map[string][]Placed // by namespace
}

// Open makes a client. It makes no request.
func Open(config *rest.Config) (*Client, error) {
	config = stay(config)
	d, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use the connection to the cluster: %w", err)
	}
	k, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot use the connection to the cluster: %w", err)
	}
	return &Client{dynamic: d, discovery: k, now: time.Now, placed: map[string][]Placed{}}, nil
}

// errNotServed says that the cluster does not know a kind.
var errNotServed = errors.New("the cluster does not serve this kind")

// place returns where objects of a kind are found. It takes the namespace from
// an object whose kind has none.
func (c *Client) place(o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := o.GroupVersionKind()
	list, err := c.discovery.ServerResourcesForGroupVersion(kind.GroupVersion().String())
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("%s %s: %w", kind.GroupVersion(), kind.Kind, errNotServed)
	}
	if err != nil {
		return nil, reached(err)
	}
	i := slices.IndexFunc(list.APIResources, func(r metav1.APIResource) bool {
		return r.Kind == kind.Kind && !slices.Contains([]byte(r.Name), '/')
	})
	if i < 0 {
		return nil, fmt.Errorf("%s %s: %w", kind.GroupVersion(), kind.Kind, errNotServed)
	}
	found := list.APIResources[i]
	resource := c.dynamic.Resource(schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: found.Name})
	if !found.Namespaced {
		o.SetNamespace("")
		return resource, nil
	}
	return resource.Namespace(o.GetNamespace()), nil
}

// awaitPlace is place for a kind that may be new.
func (c *Client) awaitPlace(ctx context.Context, o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	var place dynamic.ResourceInterface
	var last error
	err := wait.PollUntilContextTimeout(ctx, kindPoll, kindWait, true, func(context.Context) (bool, error) {
		place, last = c.place(o)
		if errors.Is(last, errNotServed) {
			return false, nil
		}
		return true, last
	})
	if errors.Is(last, errNotServed) {
		return nil, fmt.Errorf("%w: install the engine and its definitions first (resource causeway_install)", last)
	}
	return place, err
}

// ErrCredentials says that the cluster does not know whose request it was. It
// has none of the words of the answer, or of the credentials.
var ErrCredentials = errors.New("the cluster does not take the credentials of the provider: renew its token, certificate or exec command")

// reached puts an error of a request in words that say what to do.
func reached(err error) error {
	switch {
	case apierrors.IsUnauthorized(err):
		return ErrCredentials
	case apierrors.IsForbidden(err):
		return fmt.Errorf("the provider's user may not do this: %w", err)
	}
	return err
}
