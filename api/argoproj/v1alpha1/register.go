package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group and Version name the API that this package describes.
const (
	Group   = "argoproj.io"
	Version = "v1alpha1"
)

// Kinds of the objects in this package.
const (
	ApplicationKind    = "Application"
	ApplicationSetKind = "ApplicationSet"
	AppProjectKind     = "AppProject"
)

// GroupVersion is argoproj.io/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: Group, Version: Version}

// Kinds with their group and version, for owner references and dynamic clients.
var (
	ApplicationGVK    = GroupVersion.WithKind(ApplicationKind)
	ApplicationSetGVK = GroupVersion.WithKind(ApplicationSetKind)
	AppProjectGVK     = GroupVersion.WithKind(AppProjectKind)
)

// Resources as they appear in an API path.
var (
	ApplicationGVR    = GroupVersion.WithResource("applications")
	ApplicationSetGVR = GroupVersion.WithResource("applicationsets")
	AppProjectGVR     = GroupVersion.WithResource("appprojects")
)

// AddToScheme makes a scheme know the kinds of this package.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&Application{}, &ApplicationList{},
		&ApplicationSet{}, &ApplicationSetList{},
		&AppProject{}, &AppProjectList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
