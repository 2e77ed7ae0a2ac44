package app

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const factsOfTheHub = `
clusters: {names: [hub]}
values:
- {key: region, from: {fact: region}}
- {key: gadgets, as: label, from: {serves: {apiVersion: %[1]s/v1, kind: Gadget}}}
- {key: widgets, as: label, from: {serves: {apiVersion: %[1]s/v1, kind: Widget}}}
- {key: apis, from: {fact: apiVersions}}
`

// TestWhatClustersTellArrives: a node that comes and an API that is served
// reach labels, annotations and what is generated from them, with no pause.
func TestWhatClustersTellArrives(t *testing.T) {
	e := start(t, nil)
	group := e.namespace + ".example.com"
	hub := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "hub", Namespace: e.namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "enable_web": "true"}},
		StringData: map[string]string{"name": "hub", "server": gitops.HubServer, "config": "{}"},
	}
	if err := e.Create(t.Context(), hub); err != nil {
		t.Fatal(err)
	}
	if err := e.Create(t.Context(), e.addons()); err != nil {
		t.Fatal(err)
	}
	e.metadata("facts", fmt.Sprintf(factsOfTheHub, group))
	until := func(what string, ok func(*corev1.Secret) bool) {
		t.Helper()
		embeddedtest.Eventually(t, func(context.Context) error {
			if s := e.secret("hub"); !ok(s) {
				return fmt.Errorf("%s: labels %v, annotations %v", what, s.Labels, s.Annotations)
			}
			return nil
		})
	}
	until("nothing is served yet", func(s *corev1.Secret) bool {
		return s.Labels["gadgets"] == "false" && strings.Contains(s.Annotations["apis"], ",apps/v1,") && !strings.Contains(s.Annotations["apis"], group)
	})

	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: e.namespace, Labels: map[string]string{corev1.LabelTopologyRegion: e.namespace}}}
	if err := e.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	until("a node has come", func(s *corev1.Secret) bool { return strings.Contains(s.Annotations["region"], e.namespace) })
	embeddedtest.Eventually(t, func(context.Context) error {
		app, err := e.generated("hub")
		if err == nil && !strings.Contains(app.Spec.Source.Helm.Values, e.namespace) {
			err = fmt.Errorf("the application has the values %q", app.Spec.Source.Helm.Values)
		}
		return err
	})
	moved := []byte(`{"metadata":{"labels":{"topology.kubernetes.io/region":"` + e.namespace + `-2"}}}`)
	if err := e.Patch(t.Context(), node, client.RawPatch(types.MergePatchType, moved)); err != nil {
		t.Fatal(err)
	}
	until("the node has moved", func(s *corev1.Secret) bool { return strings.Contains(s.Annotations["region"], e.namespace+"-2") })
	if err := e.Delete(t.Context(), node); err != nil {
		t.Fatal(err)
	}

	definition := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(fmt.Sprintf(gadgetDefinition, group)), &definition.Object); err != nil {
		t.Fatal(err)
	}
	if err := e.Create(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	until("an API has come", func(s *corev1.Secret) bool {
		return s.Labels["gadgets"] == "true" && s.Labels["widgets"] == "false" && strings.Contains(s.Annotations["apis"], group+"/v1")
	})
	if err := e.Delete(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	until("the API has gone", func(s *corev1.Secret) bool { return s.Labels["gadgets"] == "false" })
}

func TestFactsOfNodes(t *testing.T) {
	got := factsOfNodes([]fleet.Node{
		{Region: "eu-1", Zone: "b", Architecture: "arm64", Provider: "aws"},
		{Region: "eu-1", Zone: "a", Architecture: "amd64", Provider: "aws"},
		{},
	})
	want := map[causeway.ClusterFact]string{
		causeway.FactNodeCount: "3", causeway.FactRegion: "eu-1", causeway.FactZone: "a,b", causeway.FactArchitecture: "amd64,arm64", causeway.FactProvider: "aws",
	}
	for fact, text := range want {
		if got[fact] != text {
			t.Errorf("%s is %q, want %q", fact, got[fact], text)
		}
	}
}
