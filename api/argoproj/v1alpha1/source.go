package v1alpha1

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// ApplicationSourceType is the tool that makes manifests of a source.
type ApplicationSourceType string

// The tools.
const (
	ApplicationSourceTypeHelm      ApplicationSourceType = "Helm"
	ApplicationSourceTypeKustomize ApplicationSourceType = "Kustomize"
	ApplicationSourceTypeDirectory ApplicationSourceType = "Directory"
	ApplicationSourceTypePlugin    ApplicationSourceType = "Plugin"
)

// ApplicationSources are several sources of one application.
type ApplicationSources []ApplicationSource

// ApplicationSource is one place that manifests come from, with the settings
// of the tool that renders them.
type ApplicationSource struct {
	// RepoURL is the address of the Git, Helm or OCI repository.
	RepoURL string `json:"repoURL"`
	// Path is the folder within a Git repository or OCI artifact.
	Path string `json:"path,omitempty"`
	// TargetRevision is a branch, tag, commit, chart version or version range; HEAD or the latest when empty.
	TargetRevision string `json:"targetRevision,omitempty"`
	// Helm has settings for charts.
	Helm *ApplicationSourceHelm `json:"helm,omitempty"`
	// Kustomize has edits to make on a kustomization.
	Kustomize *ApplicationSourceKustomize `json:"kustomize,omitempty"`
	// Directory has settings for plain manifests and Jsonnet.
	Directory *ApplicationSourceDirectory `json:"directory,omitempty"`
	// Plugin has settings for a config management plugin.
	Plugin *ApplicationSourcePlugin `json:"plugin,omitempty"`
	// Chart is the name of a chart in a Helm repository.
	Chart string `json:"chart,omitempty"`
	// Ref is the name by which value files of other sources reach this one, as $ref.
	Ref string `json:"ref,omitempty"`
	// Name of the source within sources.
	Name string `json:"name,omitempty"`
	// TagPrefix stands before the versions of Git tags. A version range cannot be
	// used with it.
	TagPrefix string `json:"tagPrefix,omitempty"`
}

// ApplicationSourceHelm has settings for rendering a chart.
type ApplicationSourceHelm struct {
	// ValueFiles are files of values, later ones win.
	ValueFiles []string `json:"valueFiles,omitempty"`
	// Parameters are single values, as by --set.
	Parameters []HelmParameter `json:"parameters,omitempty"`
	// ReleaseName is the name of the release; the application's name when empty.
	ReleaseName string `json:"releaseName,omitempty"`
	// Values are values as YAML text.
	Values string `json:"values,omitempty"`
	// FileParameters are single values read from files, as by --set-file.
	FileParameters []HelmFileParameter `json:"fileParameters,omitempty"`
	// Version of Helm to template with.
	Version string `json:"version,omitempty"`
	// PassCredentials sends the repository's credentials to every host that its
	// index names, if the repository Secret permits that.
	PassCredentials bool `json:"passCredentials,omitempty"`
	// IgnoreMissingValueFiles leaves out value files that do not exist.
	IgnoreMissingValueFiles bool `json:"ignoreMissingValueFiles,omitempty"`
	// SkipCrds leaves out the chart's crds folder.
	SkipCrds bool `json:"skipCrds,omitempty"`
	// ValuesObject are values as an object; it beats values.
	// +kubebuilder:pruning:PreserveUnknownFields
	ValuesObject *runtime.RawExtension `json:"valuesObject,omitempty"`
	// Namespace to render for; the destination's when empty.
	Namespace string `json:"namespace,omitempty"`
	// KubeVersion to render for; the destination cluster's when empty.
	KubeVersion string `json:"kubeVersion,omitempty"`
	// APIVersions to render for, [group/]version/kind; the destination cluster's when empty.
	APIVersions []string `json:"apiVersions,omitempty"`
	// SkipTests leaves out the chart's tests.
	SkipTests bool `json:"skipTests,omitempty"`
	// SkipSchemaValidation does not check values against the chart's schema.
	SkipSchemaValidation bool `json:"skipSchemaValidation,omitempty"`
}

// HelmParameter is one value, as by --set.
type HelmParameter struct {
	// Name is the path of the value.
	Name string `json:"name,omitempty"`
	// Value is the value.
	Value string `json:"value,omitempty"`
	// ForceString keeps numbers and booleans as text, as by --set-string.
	ForceString bool `json:"forceString,omitempty"`
}

// HelmFileParameter is one value read from a file, as by --set-file.
type HelmFileParameter struct {
	// Name is the path of the value.
	Name string `json:"name,omitempty"`
	// Path of the file, relative to the chart or $ref/...
	Path string `json:"path,omitempty"`
}

// ApplicationSourceDirectory has settings for a folder of manifests.
type ApplicationSourceDirectory struct {
	// Recurse reads folders within the folder too.
	Recurse bool `json:"recurse,omitempty"`
	// Jsonnet has settings for Jsonnet files.
	// +optional
	Jsonnet ApplicationSourceJsonnet `json:"jsonnet,omitzero"`
	// Exclude is a glob of files to leave out.
	Exclude string `json:"exclude,omitempty"`
	// Include is a glob of the only files to read.
	Include string `json:"include,omitempty"`
	// DisableExtensionFilter reads files whatever their extension.
	DisableExtensionFilter bool `json:"disableExtensionFilter,omitempty"`
}

// ApplicationSourceJsonnet has settings for Jsonnet files.
type ApplicationSourceJsonnet struct {
	// ExtVars are external variables.
	ExtVars []JsonnetVar `json:"extVars,omitempty"`
	// TLAs are top-level arguments.
	TLAs []JsonnetVar `json:"tlas,omitempty"`
	// Libs are folders to search for imports.
	Libs []string `json:"libs,omitempty"`
}

// JsonnetVar is a variable for Jsonnet.
type JsonnetVar struct {
	// Name of the variable.
	Name string `json:"name"`
	// Value of the variable.
	Value string `json:"value"`
	// Code tells that the value is Jsonnet code, not text.
	Code bool `json:"code,omitempty"`
}

// ApplicationSourcePlugin has settings for a config management plugin.
type ApplicationSourcePlugin struct {
	// Name of the plugin; found by its discovery rules when empty.
	Name string `json:"name,omitempty"`
	// Env are variables for the plugin.
	Env Env `json:"env,omitempty"`
	// Parameters are the plugin's parameters.
	Parameters []ApplicationSourcePluginParameter `json:"parameters,omitempty"`
}

// Env is a list of environment variables.
type Env []EnvEntry

// EnvEntry is one environment variable.
type EnvEntry struct {
	// Name of the variable.
	Name string `json:"name"`
	// Value of the variable.
	Value string `json:"value"`
}

// ApplicationSourcePluginParameter is one parameter of a plugin: a text, a map
// or a list. An empty map or list that is present is kept apart from an absent one.
type ApplicationSourcePluginParameter struct {
	// Name of the parameter.
	Name string `json:"name,omitempty"`
	// String is the value as a text.
	String *string `json:"string,omitempty"`
	// Map is the value as a map.
	// +optional
	Map map[string]string `json:"map,omitzero"`
	// Array is the value as a list.
	// +optional
	Array []string `json:"array,omitzero"`
}

// IsHelmChart reports whether the source is a chart of a Helm repository.
func (s ApplicationSource) IsHelmChart() bool { return s.Chart != "" }

// IsRef reports whether other sources may read this one's files.
func (s ApplicationSource) IsRef() bool { return s.Ref != "" }

// IsOCI reports whether the repository is addressed as an OCI registry.
func (s ApplicationSource) IsOCI() bool { return strings.HasPrefix(s.RepoURL, "oci://") }

// Renders reports whether the source yields manifests; one that only lends its
// files to others does not.
func (s ApplicationSource) Renders() bool {
	return !s.IsRef() || s.Path != "" || s.Chart != ""
}

// ExplicitType returns the tool that the source has settings for, "" when it
// has settings for none, and an error when it has settings for several.
func (s ApplicationSource) ExplicitType() (ApplicationSourceType, error) {
	var found []string
	for _, c := range []struct {
		tool ApplicationSourceType
		set  bool
	}{
		{ApplicationSourceTypeKustomize, s.Kustomize != nil},
		{ApplicationSourceTypeHelm, s.Helm != nil},
		{ApplicationSourceTypeDirectory, s.Directory != nil},
		{ApplicationSourceTypePlugin, s.Plugin != nil},
	} {
		if c.set {
			found = append(found, string(c.tool))
		}
	}
	if len(found) > 1 {
		return "", fmt.Errorf("cannot tell the tool of source %s: it has settings for %s, keep one", s.RepoURL, strings.Join(found, " and "))
	}
	if len(found) == 0 {
		return "", nil
	}
	return ApplicationSourceType(found[0]), nil
}
