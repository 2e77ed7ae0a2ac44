package preview

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// liveSecret is a cluster's Secret that Terraform, a ClusterMetadata and somebody
// with kubectl have written to.
const liveSecret = `{
  "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
  "data": {"name": "c3Bva2U=", "server": "aHR0cHM6Ly8xMC4wLjAuMQ==", "config": "dDBrZW4=", "project": "d2Vi"},
  "metadata": {
    "name": "spoke", "namespace": "argocd",
    "labels": {"argocd.argoproj.io/secret-type": "cluster", "enable_metrics": "true", "team": "web"},
    "annotations": {"region": "eu", "vpc_id": "vpc-1"},
    "managedFields": [
      {"manager": "causeway-terraform", "operation": "Apply", "fieldsV1": {
        "f:data": {"f:name": {}, "f:server": {}, "f:config": {}},
        "f:metadata": {"f:labels": {"f:argocd.argoproj.io/secret-type": {}, "f:enable_metrics": {}}, "f:annotations": {"f:region": {}}}}},
      {"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:data": {"f:project": {}}, "f:metadata": {"f:labels": {"f:team": {}}}}},
      {"manager": "causeway-metadata", "operation": "Apply", "fieldsV1": {"f:metadata": {"f:annotations": {"f:vpc_id": {}}}}}
    ]
  }
}`

// TestKeysOfOthersStay: an apply leaves what others wrote, so no preview may take
// it for removed.
func TestKeysOfOthersStay(t *testing.T) {
	type secret struct {
		Metadata struct{ Labels, Annotations map[string]string }
		Data     map[string]string `json:"stringData"`
	}
	const change = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"NAME","namespace":"argocd","labels":{"argocd.argoproj.io/secret-type":"cluster"},` +
		`"annotations":{"region":"us"}},"stringData":{"name":"spoke","server":"https://10.0.0.2"}}`
	live := unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(liveSecret), &live.Object); err != nil {
		t.Fatal(err)
	}
	var there, other secret
	there.Metadata.Labels = map[string]string{"argocd.argoproj.io/secret-type": "cluster", "team": "web"}
	there.Metadata.Annotations = map[string]string{"region": "us", "vpc_id": "vpc-1"}
	there.Data = map[string]string{"name": "spoke", "server": "https://10.0.0.2", "project": "web"}
	other.Metadata.Labels = map[string]string{"argocd.argoproj.io/secret-type": "cluster"}
	other.Metadata.Annotations = map[string]string{"region": "us"}
	other.Data = map[string]string{"name": "spoke", "server": "https://10.0.0.2"}
	for name, tc := range map[string]struct {
		reason, secret string
		want           secret
	}{
		"There": {"only what was Terraform's and is not named any more goes", "spoke", there},
		"New":   {"nobody has written to it yet", "dev", other},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := laid(strings.Replace(change, "NAME", tc.secret, 1), []unstructured.Unstructured{live})
			if err != nil {
				t.Fatal(err)
			}
			var got secret
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	if text, err := laid("no object", []unstructured.Unstructured{live}); err != nil || string(text) != "no object" {
		t.Errorf("what the program is to refuse became %q, %v", text, err)
	}
}

// A change that is no Secret of texts is refused without what it holds.
func TestChangeOfAnotherShapeIsNotQuoted(t *testing.T) {
	live := unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(liveSecret), &live.Object); err != nil {
		t.Fatal(err)
	}
	_, err := laid(`{"metadata":{"name":"spoke","namespace":"argocd"},"stringData":{"config":{"bearerToken":"hidden"}}}`, []unstructured.Unstructured{live})
	if err == nil || strings.Contains(err.Error(), "hidden") || !strings.Contains(err.Error(), "spoke") {
		t.Errorf("%v", err)
	}
}
