package application

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestProjectsThatWantSignatures(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   v1alpha1.AppProjectSpec
		refuse bool
	}{
		"none":      {reason: "most projects ask for none"},
		"keys":      {reason: "nothing checks them", spec: v1alpha1.AppProjectSpec{SignatureKeys: []v1alpha1.SignatureKey{{KeyID: "4AEE18F83AFDEB23"}}}, refuse: true},
		"integrity": {reason: "nothing checks it", spec: v1alpha1.AppProjectSpec{SourceIntegrity: &v1alpha1.SourceIntegrity{}}, refuse: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if err := unverifiable(&v1alpha1.AppProject{Spec: c.spec}); (err != nil) != c.refuse {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
}
