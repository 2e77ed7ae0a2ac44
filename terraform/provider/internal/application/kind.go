// Package application is the Application in Terraform: the resource that
// declares one, and the data source that waits for it.
package application

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/declare"
)

// APIVersion of the kinds that the engine reads.
const APIVersion = "argoproj.io/v1alpha1"

// Kind is the resource causeway_application.
func Kind() declare.Kind {
	return declare.Kind{
		Type: "application", APIVersion: APIVersion, Kind: "Application",
		Doc: "An Application: one source, or several, deployed to one cluster. Creating it does not wait until it is healthy; " +
			"the data source of the same name does.",
		Fields: declare.Named(append(Spec("spec."), declare.Field{
			Name: "finalizers", Path: "metadata.finalizers", Shape: declare.Texts,
			Doc: "With `resources-finalizer.argocd.argoproj.io` the deletion of the Application takes what it deployed along, and waits for that.",
		})...),
		Complete: func(_ map[string]any, o *unstructured.Unstructured) error {
			return Check(o.Object, "spec")
		},
	}
}

// Check refuses a spec that the engine could do nothing with.
func Check(o map[string]any, path ...string) error {
	spec, _, _ := unstructured.NestedMap(o, path...)
	_, one := spec["source"]
	many, _ := spec["sources"].([]any)
	_, hydrated := spec["sourceHydrator"]
	destination, _ := spec["destination"].(map[string]any)
	switch {
	case !one && len(many) == 0 && !hydrated:
		return errors.New("it has no source: set source or sources, or spec.source in manifest")
	case destination["server"] == nil && destination["name"] == nil:
		return errors.New("it has no destination: set destination.server or destination.name")
	case destination["server"] != nil && destination["name"] != nil:
		return errors.New("destination.server and destination.name exclude each other")
	}
	if spec["project"] == nil {
		return errors.New("it has no project: set project, as in \"default\"")
	}
	return nil
}
