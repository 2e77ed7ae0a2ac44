package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group and Version name the API that this package describes.
const (
	Group   = "external-secrets.io"
	Version = "v1"
)

// Kinds of the objects in this package.
const (
	ExternalSecretKind        = "ExternalSecret"
	ClusterExternalSecretKind = "ClusterExternalSecret"
	SecretStoreKind           = "SecretStore"
	ClusterSecretStoreKind    = "ClusterSecretStore"
)

// GroupVersion is external-secrets.io/v1.
var GroupVersion = schema.GroupVersion{Group: Group, Version: Version}

// AddToScheme makes a scheme know the kinds of this package.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&ExternalSecret{}, &ExternalSecretList{},
		&ClusterExternalSecret{}, &ClusterExternalSecretList{},
		&SecretStore{}, &SecretStoreList{},
		&ClusterSecretStore{}, &ClusterSecretStoreList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
