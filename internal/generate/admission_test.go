package generate

import (
	"sync"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"

	"github.com/causeway-gitops/causeway/deploy"
)

type definition struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
}

var applicationSetDefinition = sync.OnceValues(func() (*definition, error) {
	crds, err := deploy.CRDs()
	if err != nil {
		return nil, err
	}
	for _, crd := range crds {
		if crd.Spec.Names.Kind != "ApplicationSet" {
			continue
		}
		props := &apiextensions.JSONSchemaProps{}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
			crd.Spec.Versions[0].Schema.OpenAPIV3Schema, props, nil); err != nil {
			return nil, err
		}
		structural, err := schema.NewStructural(props)
		if err != nil {
			return nil, err
		}
		validator, _, err := validation.NewSchemaValidator(props)
		return &definition{structural, validator}, err
	}
	return nil, nil
})

// admission prunes and checks an ApplicationSet as the API server would.
func admission(t testing.TB, set map[string]any) error {
	t.Helper()
	d, err := applicationSetDefinition()
	if err != nil || d == nil {
		t.Fatalf("cannot read the definition of ApplicationSet: %v", err)
	}
	pruning.Prune(set, d.structural, true)
	return validation.ValidateCustomResource(nil, set, d.validator).ToAggregate()
}
