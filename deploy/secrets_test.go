package deploy_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/causeway-gitops/causeway/deploy"
)

// TestSecretKindsAreServedInBothVersions: manifests of either are taken, and v1 is what is stored.
func TestSecretKindsAreServedInBothVersions(t *testing.T) {
	all, err := deploy.SecretCRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range all {
		served := map[string]bool{}
		for _, v := range crd.Spec.Versions {
			served[v.Name] = v.Served
			if v.Storage != (v.Name != "v1beta1") {
				t.Errorf("%s stores %s: %v", crd.Name, v.Name, v.Storage)
			}
		}
		if want := crd.Spec.Group == "external-secrets.io" && crd.Spec.Names.Kind != "PushSecret"; served["v1"] != want || served["v1beta1"] != want {
			t.Errorf("%s serves %v", crd.Name, served)
		}
	}
}

// TestSecretKindsHaveNoDefaults: what an API server fills in would be a difference from Git.
func TestSecretKindsHaveNoDefaults(t *testing.T) {
	all, err := deploy.SecretCRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range all {
		for _, v := range crd.Spec.Versions {
			if where := defaulted(v.Schema.OpenAPIV3Schema, v.Name); where != "" {
				t.Errorf("%s has a default at %s", crd.Name, where)
			}
		}
	}
}

// defaulted is the first place in a schema that has a default; empty when there is none.
func defaulted(s *apiextensionsv1.JSONSchemaProps, at string) string {
	if s == nil {
		return ""
	}
	if s.Default != nil {
		return at
	}
	for name, field := range s.Properties {
		if where := defaulted(&field, at+"."+name); where != "" {
			return where
		}
	}
	if s.Items != nil {
		if where := defaulted(s.Items.Schema, at+"[]"); where != "" {
			return where
		}
	}
	if s.AdditionalProperties != nil {
		return defaulted(s.AdditionalProperties.Schema, at+".*")
	}
	return ""
}
