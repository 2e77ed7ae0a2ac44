// Package deploy holds what a cluster needs before the engine can work on it:
// the definitions of the API types. It installs nothing itself.
package deploy

import (
	"embed"
	"fmt"
	"io/fs"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

//go:embed crds/*.yaml
var crds embed.FS

// CRDs returns the definitions of Argo CD's kinds and of the product's own,
// ordered by name. Each call returns objects of its own.
func CRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) { return read(crds, "crds/*.yaml") }

func read(from embed.FS, pattern string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	names, err := fs.Glob(from, pattern)
	if err != nil {
		return nil, fmt.Errorf("cannot list the embedded definitions: %w", err)
	}
	out := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(names))
	for _, name := range names {
		text, err := from.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("cannot read embedded definition %s: %w", name, err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, crd); err != nil {
			return nil, fmt.Errorf("cannot parse embedded definition %s: %w", name, err)
		}
		out = append(out, crd)
	}
	return out, nil
}
