package app

import (
	"context"
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	clientset "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/install"
)

// withoutOwnKinds takes the product's own definitions from a hub.
func withoutOwnKinds(t *testing.T, hubConfig *rest.Config) {
	t.Helper()
	set, err := clientset.NewForConfig(hubConfig)
	if err != nil {
		t.Fatal(err)
	}
	definitions := set.CustomResourceDefinitions()
	all, err := definitions.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all.Items {
		if all.Items[i].Spec.Group != causeway.Group {
			continue
		}
		if err := definitions.Delete(t.Context(), all.Items[i].Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			_, err := definitions.Get(ctx, all.Items[i].Name, metav1.GetOptions{})
			if !apierrors.IsNotFound(err) {
				return fmt.Errorf("definition %s is still there: %w", all.Items[i].Name, err)
			}
			return nil
		})
	}
}

// gadgets defines a kind of somebody else's, and makes one.
func (e *engine) gadgets() {
	e.t.Helper()
	open := true
	set, err := clientset.NewForConfig(e.hub)
	if err != nil {
		e.t.Fatal(err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "gadgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "gadgets", Singular: "gadget", Kind: "Gadget", ListKind: "GadgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
				OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &open},
			}}},
		},
	}
	if _, err := set.CustomResourceDefinitions().Create(e.t.Context(), definition, metav1.CreateOptions{}); err != nil {
		e.t.Fatal(err)
	}
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		return client.IgnoreAlreadyExists(e.Create(ctx, e.gadget("first")))
	})
}

func (e *engine) gadget(size string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": map[string]any{"name": "g", "namespace": e.namespace}, "size": size,
	}}
}

// TestKindsThatAppearLater installs the product's own kinds, and one that a
// ClusterMetadata reads, while the engine runs.
func TestKindsThatAppearLater(t *testing.T) {
	own := embeddedtest.Config(t, embeddedtest.Start(t, embedded.Options{Name: "late"}))
	e := prepare(t, own, nil)
	e.adjust = hasty
	withoutOwnKinds(t, own)
	e.restart()
	e.spoke("dev", "true", "eu")
	if err := e.Create(t.Context(), e.addons()); err != nil {
		t.Fatal(err)
	}
	e.untilRegion("dev", "eu")

	if err := install.Definitions(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	e.metadata("late", "clusters: {matchAll: true}\nvalues: [{key: told, value: later}, {key: size, from: {field: {apiVersion: example.com/v1, kind: Gadget, name: g, path: '{.size}'}}}]\n")
	e.untilAnnotated("dev", map[string]string{"told": "later"})
	e.untilProblem("late", "does not serve the kind Gadget")
	e.kubeconfig("vc-made", corev1.SecretTypeOpaque, "config", "token: first", nil)
	e.source("virtual", "{vcluster: {}}")
	e.untilCluster("made", withToken("first"))
	e.adopts("adopted")
	e.clusterUntil("adopted", "ready", isReady)
	schema := &causeway.MetadataSchema{ObjectMeta: metav1.ObjectMeta{Name: "fleet", Namespace: e.namespace}}
	schema.Spec.Keys = []causeway.MetadataRule{{Key: "enable_web", In: causeway.PlaceLabel, Type: causeway.TypeBoolean}}
	if err := e.Create(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := e.Get(ctx, client.ObjectKeyFromObject(schema), schema); err != nil {
			return err
		}
		if !meta.IsStatusConditionTrue(schema.Status.Conditions, causeway.ConditionReady) {
			return fmt.Errorf("the schema is not enforced: %+v", schema.Status)
		}
		return nil
	})

	// What a ClusterMetadata reads appears, and is followed.
	e.gadgets()
	embeddedtest.Eventually(t, func(context.Context) error {
		if e.secret("dev").Annotations["size"] != "first" {
			return errors.New("the value is not there")
		}
		return nil
	})
	if err := e.Patch(t.Context(), e.gadget(""), client.RawPatch("application/merge-patch+json", []byte(`{"size":"second"}`))); err != nil {
		t.Fatal(err)
	}
	e.untilAnnotated("dev", map[string]string{"size": "second"})
}
