// Package applicationset is the ApplicationSet in Terraform.
package applicationset

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/application"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/declare"
)

// Kind is the resource causeway_applicationset.
func Kind() declare.Kind {
	template := append([]declare.Field{
		{Name: "name", Path: "metadata.name", Doc: "Name of each Application, as in `addons-{{name}}`."},
		{Name: "namespace", Path: "metadata.namespace", Doc: "Without effect: the Applications of a set are in its own namespace, whatever the template says."},
		{Name: "labels", Path: "metadata.labels", Shape: declare.TextMap, Doc: "Labels of each Application."},
		{Name: "annotations", Path: "metadata.annotations", Shape: declare.TextMap, Doc: "Annotations of each Application."},
		{Name: "finalizers", Path: "metadata.finalizers", Shape: declare.Texts, Doc: "Finalizers of each Application."},
	}, application.Spec("spec.")...)
	return declare.Kind{
		Type: "applicationset", APIVersion: application.APIVersion, Kind: "ApplicationSet",
		Doc: "An ApplicationSet: makes Applications out of a template, for each cluster, folder or entry that its generators find.",
		Fields: declare.Named(
			declare.Field{Name: "generators", Path: "spec.generators", Shape: declare.Document, Doc: "List of generators in YAML or JSON, as in `jsonencode([{ clusters = {} }])`."},
			declare.Field{Name: "template", Path: "spec.template", Shape: declare.Object, Fields: template, Doc: "What each Application is."},
			declare.Field{Name: "template_patch", Path: "spec.templatePatch", Doc: "Patch of the template, for what differs between Applications."},
			declare.Field{Name: "go_template", Path: "spec.goTemplate", Shape: declare.Flag, Doc: "The template is one of Go's."},
			declare.Field{Name: "go_template_options", Path: "spec.goTemplateOptions", Shape: declare.Texts, Doc: "As in `missingkey=error`."},
			declare.Field{Name: "sync_policy", Path: "spec.syncPolicy", Shape: declare.Object, Doc: "What the set does with its Applications.", Fields: []declare.Field{
				{Name: "preserve_resources_on_deletion", Path: "preserveResourcesOnDeletion", Shape: declare.Flag, Doc: "Applications that go leave behind what they deployed."},
				{Name: "applications_sync", Path: "applicationsSync", Doc: "`sync`, `create-only`, `create-update` or `create-delete`."},
			}},
			declare.Field{Name: "strategy", Path: "spec.strategy", Shape: declare.Document, Doc: "Order in which Applications change, in YAML or JSON."},
			declare.Field{Name: "ignore_application_differences", Path: "spec.ignoreApplicationDifferences", Shape: declare.Document, Doc: "Fields of Applications that the set leaves alone, in YAML or JSON."},
		),
		Complete: check,
	}
}

func check(_ map[string]any, o *unstructured.Unstructured) error {
	generators, _, err := unstructured.NestedSlice(o.Object, "spec", "generators")
	if err != nil {
		return errors.New("generators is no list: write it as in jsonencode([{ clusters = {} }])")
	}
	if len(generators) == 0 {
		return errors.New("it has no generators")
	}
	if name, _, _ := unstructured.NestedString(o.Object, "spec", "template", "metadata", "name"); name == "" {
		return errors.New("template.name is missing: each Application needs a name of its own")
	}
	return nil
}
