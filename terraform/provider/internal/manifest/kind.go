// Package manifest is any object in Terraform, as its YAML.
package manifest

import "github.com/causeway-gitops/causeway/terraform/provider/internal/declare"

// Kind is the resource causeway_manifest.
func Kind() declare.Kind {
	return declare.Kind{
		Type: "manifest",
		Doc: "Any one object, as its YAML: for kinds that have no resource of their own. A plan needs neither a cluster nor the " +
			"definition of the kind, so that one apply can install the engine and declare what it deploys.",
		Shareable: true,
		Fields: []declare.Field{
			{Name: "manifest", Shape: declare.Manifest, Required: true, Doc: "The object in YAML or JSON."},
			declare.Namespace(),
		},
	}
}
