// Package project is the AppProject in Terraform.
package project

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/application"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/declare"
)

// Kind is the resource causeway_project.
func Kind() declare.Kind {
	return declare.Kind{
		Type: "project", APIVersion: application.APIVersion, Kind: "AppProject",
		Doc: "An AppProject: what its Applications may deploy, from where and to where. One that says nothing permits nothing. The project `default` is taken over where it is as the engine made it, " +
			"which permits everything.",
		Complete: complete, Unclaimed: unclaimed,
		Fields: declare.Named(
			declare.Field{Name: "description", Path: "spec.description", Doc: "What it is for."},
			declare.Field{Name: "source_repos", Path: "spec.sourceRepos", Shape: declare.Texts, Doc: "Addresses of sources; globs, `*` is any."},
			declare.Field{Name: "source_namespaces", Path: "spec.sourceNamespaces", Shape: declare.Texts, Doc: "Namespaces whose Applications may use it."},
			declare.Field{Name: "destinations", Path: "spec.destinations", Shape: declare.Objects, Doc: "Clusters and namespaces.", Fields: []declare.Field{
				{Name: "server", Path: "server", Doc: "Address of the cluster's API; a glob."},
				{Name: "name", Path: "name", Doc: "Name of the cluster; a glob."},
				{Name: "namespace", Path: "namespace", Doc: "Namespace; a glob."},
			}},
			kinds("cluster_resource_whitelist", "clusterResourceWhitelist", "Kinds without a namespace that are allowed."),
			kinds("cluster_resource_blacklist", "clusterResourceBlacklist", "Kinds without a namespace that are not."),
			kinds("namespace_resource_whitelist", "namespaceResourceWhitelist", "Kinds with a namespace that are allowed."),
			kinds("namespace_resource_blacklist", "namespaceResourceBlacklist", "Kinds with a namespace that are not."),
			declare.Field{Name: "orphaned_resources", Path: "spec.orphanedResources", Shape: declare.Document, Doc: "Whether to tell of objects that no Application has, in YAML or JSON."},
			declare.Field{Name: "sync_windows", Path: "spec.syncWindows", Shape: declare.Objects, Doc: "When syncs are allowed or not.", Fields: []declare.Field{
				{Name: "kind", Path: "kind", Required: true, Doc: "`allow` or `deny`."},
				{Name: "schedule", Path: "schedule", Required: true, Doc: "As in cron."},
				{Name: "duration", Path: "duration", Required: true, Doc: "As in `8h`."},
				{Name: "time_zone", Path: "timeZone", Doc: "As in `Europe/Berlin`."},
				{Name: "applications", Path: "applications", Shape: declare.Texts, Doc: "Names; globs."},
				{Name: "namespaces", Path: "namespaces", Shape: declare.Texts, Doc: "Namespaces of destinations; globs."},
				{Name: "clusters", Path: "clusters", Shape: declare.Texts, Doc: "Clusters; globs."},
				{Name: "manual_sync", Path: "manualSync", Shape: declare.Flag, Doc: "Syncs by hand are allowed all the same."},
			}},
			declare.Field{Name: "roles", Path: "spec.roles", Shape: declare.Objects, Doc: "Roles of people in the project.", Fields: []declare.Field{
				{Name: "name", Path: "name", Required: true, Doc: "Its name."},
				{Name: "description", Path: "description", Doc: "What it is for."},
				{Name: "policies", Path: "policies", Shape: declare.Texts, Doc: "What it may do."},
				{Name: "groups", Path: "groups", Shape: declare.Texts, Doc: "Who has it."},
			}},
		),
	}
}

// complete gives a project that permits nothing the spec that each must have.
func complete(_ map[string]any, o *unstructured.Unstructured) error {
	if o.Object["spec"] == nil {
		o.Object["spec"] = map[string]any{}
	}
	return nil
}

func kinds(name, field, doc string) declare.Field {
	return declare.Field{Name: name, Path: "spec." + field, Shape: declare.Objects, Doc: doc, Fields: []declare.Field{
		{Name: "group", Path: "group", Required: true, Doc: "API group; `*` is any."},
		{Name: "kind", Path: "kind", Required: true, Doc: "Kind; `*` is any."},
	}}
}

// unclaimed tells the project default as the engine, and Argo CD, make it where
// there is none: it may be there before Terraform comes to narrow it.
func unclaimed(live *unstructured.Unstructured) bool {
	return live.GetName() == "default" && reflect.DeepEqual(live.Object["spec"], map[string]any{
		"sourceRepos":              []any{"*"},
		"destinations":             []any{map[string]any{"server": "*", "namespace": "*"}},
		"clusterResourceWhitelist": []any{map[string]any{"group": "*", "kind": "*"}},
	})
}
