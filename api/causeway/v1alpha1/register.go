package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group and Version name the API that this package describes.
const (
	Group   = "causeway.io"
	Version = "v1alpha1"
)

// FormerGroup is what files were written with before all had one domain: they are read,
// with a warning.
const FormerGroup = "causeway.dev"

// Kinds of the objects in this package.
const (
	ClusterKind         = "Cluster"
	ClusterMetadataKind = "ClusterMetadata"
	ClusterSourceKind   = "ClusterSource"
	MetadataSchemaKind  = "MetadataSchema"
)

// GroupVersion is causeway.io/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: Group, Version: Version}

// Kinds with their group and version, for owner references and dynamic clients.
var (
	ClusterGVK         = GroupVersion.WithKind(ClusterKind)
	ClusterMetadataGVK = GroupVersion.WithKind(ClusterMetadataKind)
	ClusterSourceGVK   = GroupVersion.WithKind(ClusterSourceKind)
	MetadataSchemaGVK  = GroupVersion.WithKind(MetadataSchemaKind)
)

// LabelClusterSource on a cluster Secret names the ClusterSource that keeps it.
const LabelClusterSource = Group + "/cluster-source"

// AnnotationFoundIn on a cluster Secret of a ClusterSource is the Secret with
// the kubeconfig that it was made of, NAMESPACE/NAME.
const AnnotationFoundIn = Group + "/found-in"

// Condition types of the kinds in this package.
const (
	// ConditionReady is true while the object does what its spec says.
	ConditionReady = "Ready"
	// ConditionValid is false when the spec cannot be carried out as it is.
	ConditionValid = "Valid"
	// ConditionDeletable tells of a Cluster whose deletion was asked for what
	// keeps it from going.
	ConditionDeletable = "Deletable"
)

// FinalizerCluster keeps a Cluster until nothing is deployed to it any more
// and its driver has removed it.
const FinalizerCluster = "causeway.io/cluster"

// AddToScheme makes a scheme know the kinds of this package.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&Cluster{}, &ClusterList{},
		&ClusterMetadata{}, &ClusterMetadataList{},
		&ClusterSource{}, &ClusterSourceList{},
		&MetadataSchema{}, &MetadataSchemaList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
