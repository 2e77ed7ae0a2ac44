package preview

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// TestSecretsGoWithoutTheirCredentials: what the program is given of a cluster
// may be in its answer, and that is in the state.
func TestSecretsGoWithoutTheirCredentials(t *testing.T) {
	data := map[string]any{}
	for key, text := range map[string]string{"name": "dev", "server": "https://robot:t0ken@10.0.0.1", "config": `{"bearerToken":"t0ken"}`} {
		data[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	s := &unstructured.Unstructured{Object: map[string]any{"data": data}}
	s.SetAnnotations(map[string]string{object.LastApplied: `{"stringData":{"config":"t0ken"}}`, "region": "eu"})
	text, err := json.Marshal(public(s))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "t0ken") || !strings.Contains(string(text), "https://10.0.0.1") || !strings.Contains(string(text), `"region":"eu"`) {
		t.Errorf("got %s", text)
	}
}
