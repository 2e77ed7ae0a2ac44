package deploy

import (
	"embed"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

//go:embed crds/secrets/*.yaml
var secretCRDs embed.FS

// SecretCRDs returns the definitions of External Secrets' kinds, ordered by name, for
// clusters that have none. Each call returns objects of its own.
func SecretCRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	return read(secretCRDs, "crds/secrets/*.yaml")
}
