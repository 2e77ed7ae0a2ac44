package clustersource

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// TestShared has Secrets with the label of a source whose kubeconfig is gone.
func TestShared(t *testing.T) {
	const ours, metadata, more, whole = `{"f:data":{".":{},"f:config":{},"f:name":{},"f:server":{}}}`, `{"f:metadata":{"f:labels":{"f:tier":{}}}}`, `{"f:data":{"f:token":{}}}`, `{"f:data":{}}`
	for name, tc := range map[string]struct {
		reason, secret, kind string
		fields               map[string]string
		want                 string
	}{
		"Alone":    {"all of it is the source's", "dev", v1alpha1.SecretTypeCluster, map[string]string{manager: ours}, ""},
		"Metadata": {"others describe the cluster", "dev", v1alpha1.SecretTypeCluster, map[string]string{manager: ours, "causeway-metadata": metadata}, ""},
		"Data":     {"somebody keeps something in it", "dev", v1alpha1.SecretTypeCluster, map[string]string{manager: ours, "kubectl": more}, `"kubectl" has written to its data`},
		"Whole":    {"or has the data as a whole", "dev", v1alpha1.SecretTypeCluster, map[string]string{manager: ours, "kubectl": whole}, `"kubectl" has written to its data`},
		"Unread":   {"what cannot be read may be anything", "dev", v1alpha1.SecretTypeCluster, map[string]string{"kubectl": "{"}, `"kubectl" has written to its data`},
		"Another":  {"it describes something else by now", "dev", v1alpha1.SecretTypeRepository, map[string]string{manager: ours}, "none of a cluster"},
		"Nothing":  {"or nothing", "dev", "", map[string]string{manager: ours}, "none of a cluster"},
		"Engine":   {"an older version has let one be made", "causeway-keys", v1alpha1.SecretTypeCluster, map[string]string{manager: ours}, "that the engine goes by"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: tc.secret, Labels: map[string]string{causeway.LabelClusterSource: "s", v1alpha1.LabelSecretType: tc.kind}}}
			for by, fields := range tc.fields {
				s.ManagedFields = append(s.ManagedFields, metav1.ManagedFieldsEntry{Manager: by, FieldsV1: metav1.NewFieldsV1(fields)})
			}
			if got := shared(s); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s: told %q", tc.reason, got)
			}
		})
	}
}
