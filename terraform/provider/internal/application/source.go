package application

import "github.com/causeway-gitops/causeway/terraform/provider/internal/declare"

// Spec are the attributes of what an Application is to be. Prefix is where
// the spec is in the object, with a dot at its end: an ApplicationSet has it in
// its template.
func Spec(prefix string) []declare.Field {
	return []declare.Field{
		{Name: "project", Path: prefix + "project", Doc: "The AppProject whose rules hold (`default` is one)."},
		{Name: "source", Path: prefix + "source", Shape: declare.Object, Fields: source(), Doc: "Where the manifests come from."},
		{Name: "sources", Path: prefix + "sources", Shape: declare.Objects, Fields: source(), Doc: "Several places in one Application, instead of `source`."},
		{Name: "destination", Path: prefix + "destination", Shape: declare.Object, Doc: "Where the objects go.", Fields: []declare.Field{
			{Name: "server", Path: "server", Doc: "Address of the cluster's API; excludes `name`."},
			{Name: "name", Path: "name", Doc: "Name of the cluster; excludes `server`."},
			{Name: "namespace", Path: "namespace", Doc: "Namespace of objects whose manifest has none."},
		}},
		{Name: "sync_policy", Path: prefix + "syncPolicy", Shape: declare.Object, Doc: "When and how to sync.", Fields: syncPolicy()},
		{Name: "ignore_differences", Path: prefix + "ignoreDifferences", Shape: declare.Objects, Doc: "Fields whose drift does not count.", Fields: []declare.Field{
			{Name: "group", Path: "group", Doc: "API group of the objects."},
			{Name: "kind", Path: "kind", Required: true, Doc: "Kind of the objects."},
			{Name: "name", Path: "name", Doc: "Name of the object; any without it."},
			{Name: "namespace", Path: "namespace", Doc: "Namespace of the objects; any without it."},
			{Name: "json_pointers", Path: "jsonPointers", Shape: declare.Texts, Doc: "Fields, as in `/spec/replicas`."},
			{Name: "jq_path_expressions", Path: "jqPathExpressions", Shape: declare.Texts, Doc: "Fields, as jq paths."},
			{Name: "managed_fields_managers", Path: "managedFieldsManagers", Shape: declare.Texts, Doc: "Field managers whose fields are theirs."},
		}},
		{Name: "revision_history_limit", Path: prefix + "revisionHistoryLimit", Shape: declare.Number, Doc: "How many past deployments the status keeps."},
	}
}

func source() []declare.Field {
	return []declare.Field{
		{Name: "repo_url", Path: "repoURL", Required: true, Doc: "Address of the Git repository, or of the chart repository."},
		{Name: "path", Path: "path", Doc: "Folder in the repository."},
		{Name: "target_revision", Path: "targetRevision", Doc: "Branch, tag, commit or chart version."},
		{Name: "chart", Path: "chart", Doc: "Name of a Helm chart."},
		{Name: "ref", Path: "ref", Doc: "Name by which other sources use files of this one."},
		{Name: "name", Path: "name", Doc: "Name of the source."},
		{Name: "helm", Path: "helm", Shape: declare.Object, Doc: "Options for Helm.", Fields: helm()},
		{Name: "kustomize", Path: "kustomize", Shape: declare.Object, Doc: "Options for Kustomize.", Fields: []declare.Field{
			{Name: "name_prefix", Path: "namePrefix", Doc: "Goes in front of all names."},
			{Name: "name_suffix", Path: "nameSuffix", Doc: "Goes behind all names."},
			{Name: "namespace", Path: "namespace", Doc: "Namespace of all objects."},
			{Name: "images", Path: "images", Shape: declare.Texts, Doc: "Images to put in place of others, as in `app=registry.example.com/app:v2`."},
			{Name: "common_labels", Path: "commonLabels", Shape: declare.TextMap, Doc: "Labels of all objects."},
			{Name: "common_annotations", Path: "commonAnnotations", Shape: declare.TextMap, Doc: "Annotations of all objects."},
			{Name: "components", Path: "components", Shape: declare.Texts, Doc: "Components to add."},
			{Name: "patches", Path: "patches", Shape: declare.Document, Doc: "Patches, in YAML or JSON."},
		}},
		{Name: "directory", Path: "directory", Shape: declare.Object, Doc: "Options for folders of plain manifests.", Fields: []declare.Field{
			{Name: "recurse", Path: "recurse", Shape: declare.Flag, Doc: "Read folders below, too."},
			{Name: "include", Path: "include", Doc: "Glob of the files to read."},
			{Name: "exclude", Path: "exclude", Doc: "Glob of files to leave out."},
			{Name: "jsonnet", Path: "jsonnet", Shape: declare.Document, Doc: "Options for Jsonnet, in YAML or JSON."},
		}},
		{Name: "plugin", Path: "plugin", Shape: declare.Document, Doc: "Options for a plugin, in YAML or JSON."},
	}
}

func helm() []declare.Field {
	return []declare.Field{
		{Name: "release_name", Path: "releaseName", Doc: "Name of the release (default: that of the Application)."},
		{Name: "value_files", Path: "valueFiles", Shape: declare.Texts, Doc: "Files of values, the last one wins."},
		{Name: "values", Path: "values", Doc: "Values, in YAML."},
		{Name: "values_object", Path: "valuesObject", Shape: declare.Document, Doc: "Values, in YAML or JSON, kept as an object."},
		{Name: "parameters", Path: "parameters", Shape: declare.Objects, Doc: "Single values.", Fields: []declare.Field{
			{Name: "name", Path: "name", Required: true, Doc: "Path of the value."},
			{Name: "value", Path: "value", Required: true, Doc: "The value."},
			{Name: "force_string", Path: "forceString", Shape: declare.Flag, Doc: "Keep it a text."},
		}},
		{Name: "ignore_missing_value_files", Path: "ignoreMissingValueFiles", Shape: declare.Flag, Doc: "Go on without files that are not there."},
		{Name: "pass_credentials", Path: "passCredentials", Shape: declare.Flag, Doc: "Send credentials to all hosts."},
		{Name: "skip_crds", Path: "skipCrds", Shape: declare.Flag, Doc: "Leave the chart's definitions out."},
		{Name: "skip_tests", Path: "skipTests", Shape: declare.Flag, Doc: "Leave the chart's tests out."},
		{Name: "skip_schema_validation", Path: "skipSchemaValidation", Shape: declare.Flag, Doc: "Do not check values against the chart's schema."},
		{Name: "namespace", Path: "namespace", Doc: "Namespace to render for."},
		{Name: "kube_version", Path: "kubeVersion", Doc: "Kubernetes version to render for."},
		{Name: "api_versions", Path: "apiVersions", Shape: declare.Texts, Doc: "API versions to render for."},
	}
}

func syncPolicy() []declare.Field {
	return []declare.Field{
		{Name: "automated", Path: "automated", Shape: declare.Object, Doc: "Sync by itself; `{}` does.", Fields: []declare.Field{
			{Name: "enabled", Path: "enabled", Shape: declare.Flag, Doc: "false turns it off."},
			{Name: "prune", Path: "prune", Shape: declare.Flag, Doc: "Delete what is in Git no more."},
			{Name: "self_heal", Path: "selfHeal", Shape: declare.Flag, Doc: "Sync when the cluster drifts, too."},
			{Name: "allow_empty", Path: "allowEmpty", Shape: declare.Flag, Doc: "Even when nothing is left."},
		}},
		{Name: "sync_options", Path: "syncOptions", Shape: declare.Texts, Doc: "As in `CreateNamespace=true`."},
		{Name: "retry", Path: "retry", Shape: declare.Object, Doc: "What to do when a sync fails.", Fields: []declare.Field{
			{Name: "limit", Path: "limit", Shape: declare.Number, Doc: "How often; -1 is for ever."},
			{Name: "backoff", Path: "backoff", Shape: declare.Object, Doc: "How long to wait.", Fields: []declare.Field{
				{Name: "duration", Path: "duration", Doc: "The first time, as in `5s`."},
				{Name: "factor", Path: "factor", Shape: declare.Number, Doc: "Times longer each time."},
				{Name: "max_duration", Path: "maxDuration", Doc: "At most this long."},
			}},
		}},
		{Name: "managed_namespace_metadata", Path: "managedNamespaceMetadata", Shape: declare.Object, Doc: "For the namespace that `CreateNamespace=true` makes.", Fields: []declare.Field{
			{Name: "labels", Path: "labels", Shape: declare.TextMap, Doc: "Its labels."},
			{Name: "annotations", Path: "annotations", Shape: declare.TextMap, Doc: "Its annotations."},
		}},
	}
}
