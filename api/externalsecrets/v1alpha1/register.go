package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// PushSecretKind is the kind of the objects in this package.
const PushSecretKind = "PushSecret"

// GroupVersion is external-secrets.io/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: esv1.Group, Version: "v1alpha1"}

// AddToScheme makes a scheme know the kinds of this package.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &PushSecret{}, &PushSecretList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
