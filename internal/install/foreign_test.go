package install

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestOurs(t *testing.T) {
	cases := map[string]struct {
		reason     string
		kind, made string
		adopts     bool
		shared     bool
		want       bool
	}{
		"New":        {reason: "nothing is there", kind: "ConfigMap", want: true},
		"Own":        {reason: "a bootstrap wrote it", kind: "ConfigMap", made: bootstrap.Manager, want: true},
		"Others":     {reason: "somebody else made it", kind: "ConfigMap", made: "kubectl", want: false},
		"Shared":     {reason: "keys are added to it", kind: "Secret", made: "terraform", shared: true, want: true},
		"Takeover":   {reason: "a takeover takes what it finds", kind: "ConfigMap", made: "kubectl", adopts: true, want: true},
		"Definition": {reason: "an engine that ran here before made the kinds", kind: definitionKind, made: "causeway", want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{}
			o.SetKind(tc.kind)
			o.SetName("one")
			f := found{wanted: o}
			if tc.made != "" {
				f.live = o.DeepCopy()
				f.live.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: tc.made}})
			}
			i := &installer{adopts: tc.adopts, shared: map[gitops.Key]bool{gitops.KeyOf(o): tc.shared}}
			if got := i.ours(f); got != tc.want {
				t.Errorf("\n%s\nours(): want %v, got %v", tc.reason, tc.want, got)
			}
		})
	}
}
