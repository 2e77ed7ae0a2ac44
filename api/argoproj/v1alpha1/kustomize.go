package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// ApplicationSourceKustomize has edits that are made on a kustomization before
// it is built.
type ApplicationSourceKustomize struct {
	// NamePrefix is put before every name.
	NamePrefix string `json:"namePrefix,omitempty"`
	// NameSuffix is put after every name.
	NameSuffix string `json:"nameSuffix,omitempty"`
	// Images replace images.
	Images KustomizeImages `json:"images,omitempty"`
	// CommonLabels are added to every object.
	CommonLabels map[string]string `json:"commonLabels,omitempty"`
	// Version of Kustomize to build with.
	Version string `json:"version,omitempty"`
	// CommonAnnotations are added to every object.
	CommonAnnotations map[string]string `json:"commonAnnotations,omitempty"`
	// ForceCommonLabels overwrites labels of the same name.
	ForceCommonLabels bool `json:"forceCommonLabels,omitempty"`
	// ForceCommonAnnotations overwrites annotations of the same name.
	ForceCommonAnnotations bool `json:"forceCommonAnnotations,omitempty"`
	// Namespace that every object is put in.
	Namespace string `json:"namespace,omitempty"`
	// CommonAnnotationsEnvsubst replaces build environment variables in annotations.
	CommonAnnotationsEnvsubst bool `json:"commonAnnotationsEnvsubst,omitempty"`
	// Replicas set the number of replicas by name.
	Replicas KustomizeReplicas `json:"replicas,omitempty"`
	// Patches are applied last but for components.
	Patches KustomizePatches `json:"patches,omitempty"`
	// Components are folders of components to add.
	Components []string `json:"components,omitempty"`
	// IgnoreMissingComponents leaves out components that do not exist.
	IgnoreMissingComponents bool `json:"ignoreMissingComponents,omitempty"`
	// LabelWithoutSelector keeps common labels out of selectors.
	LabelWithoutSelector bool `json:"labelWithoutSelector,omitempty"`
	// KubeVersion to build for; the destination cluster's when empty.
	KubeVersion string `json:"kubeVersion,omitempty"`
	// APIVersions to build for, [group/]version/kind; the destination cluster's when empty.
	APIVersions []string `json:"apiVersions,omitempty"`
	// LabelIncludeTemplates adds common labels to templates even when selectors are left alone.
	LabelIncludeTemplates bool `json:"labelIncludeTemplates,omitempty"`
}

// KustomizeImages replace images.
type KustomizeImages []KustomizeImage

// KustomizeImage is [old=]image[:tag][@digest].
type KustomizeImage string

// KustomizeReplicas set numbers of replicas.
type KustomizeReplicas []KustomizeReplica

// KustomizeReplica sets the number of replicas of the workload of a name.
type KustomizeReplica struct {
	// Name of the workload.
	Name string `json:"name"`
	// Count of replicas; a text holds a build environment variable.
	Count intstr.IntOrString `json:"count"`
}

// KustomizePatches are patches.
type KustomizePatches []KustomizePatch

// KustomizePatch is a patch, in place or in a file, and what it is applied to.
type KustomizePatch struct {
	// Path of the file that holds the patch.
	Path string `json:"path,omitempty"`
	// Patch in place.
	Patch string `json:"patch,omitempty"`
	// Target selects the objects to patch.
	Target *KustomizeSelector `json:"target,omitempty"`
	// Options such as allowNameChange.
	Options map[string]bool `json:"options,omitempty"`
}

// KustomizeSelector selects objects to patch; the parts of it are regular
// expressions, an empty one is any.
type KustomizeSelector struct {
	// Group of the objects.
	Group string `json:"group,omitempty"`
	// Version of the objects.
	Version string `json:"version,omitempty"`
	// Kind of the objects.
	Kind string `json:"kind,omitempty"`
	// Name of the objects.
	Name string `json:"name,omitempty"`
	// Namespace of the objects.
	Namespace string `json:"namespace,omitempty"`
	// AnnotationSelector selects by annotations.
	AnnotationSelector string `json:"annotationSelector,omitempty"`
	// LabelSelector selects by labels.
	LabelSelector string `json:"labelSelector,omitempty"`
}
