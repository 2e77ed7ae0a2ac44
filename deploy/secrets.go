package deploy

import (
	"embed"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

//go:embed crds/secrets/*.yaml
var secretCRDs embed.FS

const (
	secretsGroup = "external-secrets.io"
	// former is the version that manifests of before External Secrets 0.16 have.
	former = "v1beta1"
)

// SecretCRDs returns the definitions of External Secrets' kinds, ordered by name, for
// clusters that have none. Each call returns objects of its own.
func SecretCRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	all, err := read(secretCRDs, "crds/secrets/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, crd := range all {
		if crd.Spec.Group == secretsGroup {
			serveFormer(crd)
		}
	}
	return all, nil
}

// serveFormer serves v1beta1 beside v1. Their fields have the same names and meanings,
// so that the API server converts by the version's name alone.
func serveFormer(crd *apiextensionsv1.CustomResourceDefinition) {
	for i := range crd.Spec.Versions {
		if crd.Spec.Versions[i].Name != "v1" {
			continue
		}
		warning := secretsGroup + "/v1beta1 is deprecated: use " + secretsGroup + "/v1"
		v := crd.Spec.Versions[i].DeepCopy()
		v.Name, v.Storage, v.Deprecated, v.DeprecationWarning = former, false, true, &warning
		crd.Spec.Versions = append(crd.Spec.Versions, *v)
		return
	}
}
