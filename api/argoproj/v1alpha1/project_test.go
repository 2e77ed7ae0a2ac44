package v1alpha1_test

import (
	"encoding/json"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestEmptyKindsStay has who reads a project and writes it back leave it as narrow as it was: no namespaced kind is
// another wish than no word on them.
func TestEmptyKindsStay(t *testing.T) {
	for _, text := range []string{`{"namespaceResourceWhitelist":[]}`, `{}`} {
		var spec v1alpha1.AppProjectSpec
		if err := json.Unmarshal([]byte(text), &spec); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(spec.DeepCopy())
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}
