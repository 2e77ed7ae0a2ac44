package install

import (
	"context"
	"fmt"
	"slices"
	"sync"
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
	// refusalEvery is at how many looks a definition itself is read, for why it is not served. The largest of them takes the
	// API server a tenth of a second to read.
	refusalEvery = 20
)

// definitions are read once: parsing two megabytes of them takes a tenth of a
// second.
var definitions = sync.OnceValues(deploy.CRDs)

// Definitions creates the definitions of Argo CD's kinds and of the product's
// own where they are not there, and waits until they are served. A
// cluster that has Argo CD's keeps them.
func Definitions(ctx context.Context, hub *rest.Config) error {
	return awaitServed(ctx, hub, func(client *clientset.ApiextensionsV1Client, crd *apiextensionsv1.CustomResourceDefinition) error {
		_, err := client.CustomResourceDefinitions().Create(ctx, crd, metav1.CreateOptions{FieldManager: "causeway"})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("cannot create definition %s: %w", crd.Name, err)
		}
		return nil
	})
}

// definitionsServed waits until the definitions that are there are served.
func definitionsServed(ctx context.Context, hub *rest.Config) error {
	return awaitServed(ctx, hub, func(*clientset.ApiextensionsV1Client, *apiextensionsv1.CustomResourceDefinition) error { return nil })
}

// awaitServed makes what is not served yet, and waits for it. What is served
// costs two reads: to create it once more would let the API server compile
// megabytes of schemas only to say that they are there.
func awaitServed(ctx context.Context, hub *rest.Config, create func(*clientset.ApiextensionsV1Client, *apiextensionsv1.CustomResourceDefinition) error) error {
	crds, err := definitions()
	if err != nil {
		return fmt.Errorf("cannot read the built-in definitions: %w", err)
	}
	client, err := clientset.NewForConfig(hub)
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	listed, err := discovery.NewDiscoveryClientForConfig(hub)
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	missing := unlisted(listed, crds)
	for _, crd := range missing {
		if err := create(client, crd.DeepCopy()); err != nil {
			return err
		}
	}
	return discovered(ctx, client, listed, missing)
}

// discovered waits until the API server's own list of kinds has the
// definitions: that comes once they are established, and clients go by it.
func discovered(ctx context.Context, client clientset.CustomResourceDefinitionsGetter, list discovery.ServerResourcesInterface, crds []*apiextensionsv1.CustomResourceDefinition) error {
	missing, looks := crds, 0
	err := wait.PollUntilContextTimeout(ctx, establishPoll, establishTime, true, func(ctx context.Context) (bool, error) {
		missing = unlisted(list, missing)
		looks++
		if len(missing) == 0 || looks%refusalEvery != 0 {
			return len(missing) == 0, nil
		}
		return false, refused(ctx, client, missing[0].Name)
	})
	if err != nil {
		return fmt.Errorf("cannot wait for definition %s to be served: %w", missing[0].Name, err)
	}
	return nil
}

// refused is why a definition will never be served; nil where that is only not
// yet.
func refused(ctx context.Context, client clientset.CustomResourceDefinitionsGetter, name string) error {
	crd, err := client.CustomResourceDefinitions().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, c := range crd.Status.Conditions {
		if c.Type == apiextensionsv1.NamesAccepted && c.Status == apiextensionsv1.ConditionFalse {
			return fmt.Errorf("its names are taken: %s", c.Message)
		}
	}
	return nil
}

// unlisted returns the definitions that the API server's list of kinds does not
// have; a list that cannot be read has none.
func unlisted(client discovery.ServerResourcesInterface, crds []*apiextensionsv1.CustomResourceDefinition) []*apiextensionsv1.CustomResourceDefinition {
	lists := map[string][]metav1.APIResource{}
	return slices.DeleteFunc(slices.Clone(crds), func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		version := crd.Spec.Group + "/" + crd.Spec.Versions[0].Name
		if _, read := lists[version]; !read {
			lists[version] = nil
			if list, err := client.ServerResourcesForGroupVersion(version); err == nil {
				lists[version] = list.APIResources
			}
		}
		return slices.ContainsFunc(lists[version], func(r metav1.APIResource) bool { return r.Name == crd.Spec.Names.Plural })
	})
}
