package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	clientset "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/deploy"
)

// establishTime bounds the wait for new definitions to be served.
const (
	establishTime = 2 * time.Minute
	establishPoll = 50 * time.Millisecond
)

// InstallCRDs creates the definitions of Argo CD's kinds and of the product's
// own where they are not there, and waits until they are served. A
// cluster that has Argo CD's keeps them.
func InstallCRDs(ctx context.Context, hub *rest.Config) error {
	client, err := clientset.NewForConfig(hub)
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	crds, err := deploy.CRDs()
	if err != nil {
		return fmt.Errorf("cannot read the built-in definitions: %w", err)
	}
	for _, crd := range crds {
		_, err := client.CustomResourceDefinitions().Create(ctx, crd, metav1.CreateOptions{FieldManager: "causeway"})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("cannot create definition %s: %w", crd.Name, err)
		}
	}
	return awaitServed(ctx, hub, client, crds)
}

// definitionsServed waits until the definitions that are there are served.
func definitionsServed(ctx context.Context, hub *rest.Config) error {
	client, err := clientset.NewForConfig(hub)
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	crds, err := deploy.CRDs()
	if err != nil {
		return fmt.Errorf("cannot read the built-in definitions: %w", err)
	}
	return awaitServed(ctx, hub, client, crds)
}

func awaitServed(ctx context.Context, hub *rest.Config, client *clientset.ApiextensionsV1Client, crds []*apiextensionsv1.CustomResourceDefinition) error {
	for _, crd := range crds {
		if err := established(ctx, client, crd.Name); err != nil {
			return err
		}
	}
	return discovered(ctx, hub, crds)
}

// discovered waits until the API server's own list of kinds has the
// definitions: that comes a moment after they are established, and clients go
// by it.
func discovered(ctx context.Context, hub *rest.Config, crds []*apiextensionsv1.CustomResourceDefinition) error {
	client, err := discovery.NewDiscoveryClientForConfig(hub)
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	for _, crd := range crds {
		version := crd.Spec.Group + "/" + crd.Spec.Versions[0].Name
		err := wait.PollUntilContextTimeout(ctx, establishPoll, establishTime, true, func(context.Context) (bool, error) {
			list, err := client.ServerResourcesForGroupVersion(version)
			if err != nil {
				return false, nil //nolint:nilerr // it is not listed yet
			}
			return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == crd.Spec.Names.Plural }), nil
		})
		if err != nil {
			return fmt.Errorf("cannot wait for definition %s to be listed: %w", crd.Name, err)
		}
	}
	return nil
}

func established(ctx context.Context, client *clientset.ApiextensionsV1Client, name string) error {
	err := wait.PollUntilContextTimeout(ctx, establishPoll, establishTime, true, func(ctx context.Context) (bool, error) {
		crd, err := client.CustomResourceDefinitions().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, c := range crd.Status.Conditions {
			if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("cannot wait for definition %s to be served: %w", name, err)
	}
	return nil
}
