package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ListGenerator gives the parameters in place.
type ListGenerator struct {
	// Elements are objects of parameters.
	// +optional
	Elements []apiextensionsv1.JSON `json:"elements"`
	// Template overrides the set's template field by field.
	// +optional
	Template ApplicationSetTemplate `json:"template,omitzero"`
	// ElementsYaml is a list of objects as YAML text, which may be templated.
	ElementsYaml string `json:"elementsYaml,omitempty"`
}

// ClusterGenerator gives parameters of each cluster.
type ClusterGenerator struct {
	// Selector selects clusters by the labels of their Secrets; all when empty.
	// +optional
	Selector metav1.LabelSelector `json:"selector,omitzero"`
	// Template overrides the set's template field by field.
	// +optional
	Template ApplicationSetTemplate `json:"template,omitzero"`
	// Values are further parameters, which may be templated.
	Values map[string]string `json:"values,omitempty"`
	// FlatList gives one result that holds all clusters.
	FlatList bool `json:"flatList,omitempty"`
}

// DuckTypeGenerator gives parameters of the clusters that another object lists
// in its status.
type DuckTypeGenerator struct {
	// ConfigMapRef names the ConfigMap that describes the kind of the object.
	ConfigMapRef string `json:"configMapRef"`
	// Name of the object.
	Name string `json:"name,omitempty"`
	// RequeueAfterSeconds is how long until it is read again.
	RequeueAfterSeconds *int64 `json:"requeueAfterSeconds,omitempty"`
	// LabelSelector selects objects by labels instead of by name.
	// +optional
	LabelSelector metav1.LabelSelector `json:"labelSelector,omitzero"`
	// Template overrides the set's template field by field.
	// +optional
	Template ApplicationSetTemplate `json:"template,omitzero"`
	// Values are further parameters, which may be templated.
	Values map[string]string `json:"values,omitempty"`
}

// GitGenerator gives parameters of each folder or file of a repository.
type GitGenerator struct {
	// RepoURL is the address of the Git repository.
	RepoURL string `json:"repoURL"`
	// Directories select folders.
	Directories []GitDirectoryGeneratorItem `json:"directories,omitempty"`
	// Files select files of YAML or JSON.
	Files []GitFileGeneratorItem `json:"files,omitempty"`
	// Revision is a branch, tag or commit.
	Revision string `json:"revision"`
	// RequeueAfterSeconds is how long until it is read again.
	RequeueAfterSeconds *int64 `json:"requeueAfterSeconds,omitempty"`
	// Template overrides the set's template field by field.
	// +optional
	Template ApplicationSetTemplate `json:"template,omitzero"`
	// PathParamPrefix is put before the names of path parameters.
	PathParamPrefix string `json:"pathParamPrefix,omitempty"`
	// Values are further parameters, which may be templated.
	Values map[string]string `json:"values,omitempty"`
}

// GitDirectoryGeneratorItem selects folders.
type GitDirectoryGeneratorItem struct {
	// Path is a glob.
	Path string `json:"path"`
	// Exclude leaves the matches out; it beats items that include.
	Exclude bool `json:"exclude,omitempty"`
}

// GitFileGeneratorItem selects files.
type GitFileGeneratorItem struct {
	// Path is a glob.
	Path string `json:"path"`
	// Exclude leaves the matches out; it beats items that include.
	Exclude bool `json:"exclude,omitempty"`
}

// OCIGenerator gives parameters of each folder or file of an OCI artifact.
type OCIGenerator struct {
	// RepoURL is the address of the artifact, oci://...
	RepoURL string `json:"repoURL"`
	// Directories select folders.
	Directories []OCIDirectoryGeneratorItem `json:"directories,omitempty"`
	// Files select files of YAML or JSON.
	Files []OCIFileGeneratorItem `json:"files,omitempty"`
	// Revision is a tag, a digest or a version range.
	Revision string `json:"revision"`
	// RequeueAfterSeconds is how long until it is read again.
	RequeueAfterSeconds *int64 `json:"requeueAfterSeconds,omitempty"`
	// Template overrides the set's template field by field.
	// +optional
	Template ApplicationSetTemplate `json:"template,omitzero"`
	// PathParamPrefix is put before the names of path parameters.
	PathParamPrefix string `json:"pathParamPrefix,omitempty"`
	// Values are further parameters, which may be templated.
	Values map[string]string `json:"values,omitempty"`
}

// OCIDirectoryGeneratorItem selects folders.
type OCIDirectoryGeneratorItem struct {
	// Path is a glob.
	Path string `json:"path"`
	// Exclude leaves the matches out; it beats items that include.
	Exclude bool `json:"exclude,omitempty"`
}

// OCIFileGeneratorItem selects files.
type OCIFileGeneratorItem struct {
	// Path is a glob.
	Path string `json:"path"`
	// Exclude leaves the matches out; it beats items that include.
	Exclude bool `json:"exclude,omitempty"`
}

// PluginGenerator asks a web service for parameters.
type PluginGenerator struct {
	// ConfigMapRef names the ConfigMap that tells the service's address and token.
	ConfigMapRef PluginConfigMapRef `json:"configMapRef"`
	// Input is sent to the service.
	// +optional
	Input PluginInput `json:"input,omitzero"`
	// RequeueAfterSeconds is how long until it is asked again.
	RequeueAfterSeconds *int64 `json:"requeueAfterSeconds,omitempty"`
	// Template overrides the set's template field by field.
	// +optional
	Template ApplicationSetTemplate `json:"template,omitzero"`
	// Values are further parameters, which may be templated.
	Values map[string]string `json:"values,omitempty"`
}

// PluginConfigMapRef names a ConfigMap.
type PluginConfigMapRef struct {
	// Name of the ConfigMap.
	Name string `json:"name"`
}

// PluginParameters are values of any type by name.
type PluginParameters map[string]apiextensionsv1.JSON

// PluginInput is what is sent to the service of a plugin.
type PluginInput struct {
	// Parameters of the plugin.
	Parameters PluginParameters `json:"parameters,omitempty"`
}

// SecretRef names a key of a Secret.
type SecretRef struct {
	// SecretName is the name of the Secret.
	SecretName string `json:"secretName"`
	// Key within the Secret.
	Key string `json:"key"`
}

// ConfigMapKeyRef names a key of a ConfigMap.
type ConfigMapKeyRef struct {
	// ConfigMapName is the name of the ConfigMap.
	ConfigMapName string `json:"configMapName"`
	// Key within the ConfigMap.
	Key string `json:"key"`
}

// BearerTokenBitbucket signs in to Bitbucket Server with a token.
type BearerTokenBitbucket struct {
	// TokenRef is where the token is.
	TokenRef *SecretRef `json:"tokenRef"`
}

// BearerTokenBitbucketCloud signs in to Bitbucket Cloud with a token.
type BearerTokenBitbucketCloud struct {
	// TokenRef is where the token is.
	TokenRef *SecretRef `json:"tokenRef"`
}

// BasicAuthBitbucketServer signs in to Bitbucket with name and password.
type BasicAuthBitbucketServer struct {
	// Username to sign in with.
	Username string `json:"username"`
	// PasswordRef is where the password or token is.
	PasswordRef *SecretRef `json:"passwordRef"`
}
