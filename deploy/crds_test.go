package deploy

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestCRDs(t *testing.T) {
	type shape struct {
		Kind       string
		Short      []string
		Status     bool
		Scope      apiextensionsv1.ResourceScope
		Required   []string
		OneVersion bool
	}
	want := map[string]shape{
		"applications.argoproj.io":    {Kind: "Application", Short: []string{"app", "apps"}},
		"applicationsets.argoproj.io": {Kind: "ApplicationSet", Short: []string{"appset", "appsets"}, Status: true},
		"appprojects.argoproj.io":     {Kind: "AppProject", Short: []string{"appproj", "appprojs"}},
	}
	for name, w := range want {
		w.Scope, w.Required, w.OneVersion = apiextensionsv1.NamespaceScoped, []string{"metadata", "spec"}, true
		want[name] = w
	}
	crds, err := CRDs()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]shape{}
	for _, crd := range crds {
		if crd.Spec.Group != "argoproj.io" {
			continue
		}
		version := crd.Spec.Versions[0]
		got[crd.Name] = shape{
			Kind: crd.Spec.Names.Kind, Short: crd.Spec.Names.ShortNames, Scope: crd.Spec.Scope,
			// Argo CD serves status as a resource of its own for ApplicationSets alone.
			Status:     version.Subresources != nil && version.Subresources.Status != nil,
			Required:   slices.Sorted(slices.Values(version.Schema.OpenAPIV3Schema.Required)),
			OneVersion: len(crd.Spec.Versions) == 1 && version.Served && version.Storage && version.Name == "v1alpha1",
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the definitions behave as Argo CD's (-want +got):\n%s", diff)
	}
}

// The kinds of the product's own have what people expect of a kind today.
func TestOwnCRDs(t *testing.T) {
	crds, err := CRDs()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, crd := range crds {
		if crd.Spec.Group != "causeway.io" {
			continue
		}
		version := crd.Spec.Versions[0]
		kinds = append(kinds, crd.Spec.Names.Kind)
		if crd.Spec.Scope != apiextensionsv1.NamespaceScoped || version.Subresources == nil || version.Subresources.Status == nil || len(version.AdditionalPrinterColumns) == 0 {
			t.Errorf("%s: want a kind in namespaces with a status of its own and columns to print", crd.Name)
		}
	}
	if diff := cmp.Diff([]string{"ClusterMetadata", "Cluster", "ClusterSource", "MetadataSchema"}, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}
