package clustersource

import (
	"bytes"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// shared tells why a Secret of a source is not the source's alone any more, so
// that it does not go with its kubeconfig: it is none of a cluster, or one that
// the engine goes by, or somebody else keeps something in it. Empty where it is.
func shared(s *metav1.PartialObjectMetadata) string {
	if s.Labels[v1alpha1.LabelSecretType] != v1alpha1.SecretTypeCluster {
		return "its label " + v1alpha1.LabelSecretType + " says that it is none of a cluster"
	}
	if gitops.OwnSecret(s.Name) {
		return "it has the name of one that the engine goes by"
	}
	for _, f := range s.ManagedFields {
		if f.Manager != manager && f.FieldsV1 != nil && saysData(f.FieldsV1.GetRawBytes()) {
			return fmt.Sprintf("%q has written to its data", gitops.First(f.Manager, mostManager))
		}
	}
	return ""
}

// mostManager bounds the name of a field manager, in bytes; Kubernetes takes 128.
const mostManager = 128

var data = fieldpath.MakePathOrDie("data")

// saysData reports whether fields that somebody manages are in the data of a
// Secret. What cannot be read may be.
func saysData(fields []byte) bool {
	set := &fieldpath.Set{}
	if set.FromJSON(bytes.NewReader(fields)) != nil {
		return true
	}
	return set.Has(data) || !set.WithPrefix(data[0]).Empty()
}
