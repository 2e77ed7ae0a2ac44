package install

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestDepartures: an engine that runs loses its rights after it is gone, and each
// time in the same order.
func TestDepartures(t *testing.T) {
	all := map[string]*unstructured.Unstructured{}
	for name, kind := range map[string]string{
		"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy//a": "ValidatingAdmissionPolicy", "apps/v1/Deployment/argocd/causeway": "Deployment",
		"rbac.authorization.k8s.io/v1/Role/argocd/causeway": "Role", "v1/ServiceAccount/argocd/causeway": "ServiceAccount",
	} {
		all[name] = &unstructured.Unstructured{Object: map[string]any{"kind": kind}}
	}
	want := []string{
		"apps/v1/Deployment/argocd/causeway", "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy//a",
		"rbac.authorization.k8s.io/v1/Role/argocd/causeway", "v1/ServiceAccount/argocd/causeway",
	}
	if diff := cmp.Diff(want, departures(all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWaits: beside Argo CD, and while it is handed back, no engine starts.
func TestWaits(t *testing.T) {
	for name, tc := range map[string]struct {
		found argo
		want  bool
	}{
		"Nothing":   {argo{}, false},
		"Runs":      {argo{running: []string{"deployment/argocd-application-controller"}, stage: "reverted"}, true},
		"TakenOver": {argo{stopped: []string{"deployment/argocd-application-controller"}, stage: "adopted"}, false},
		"CutOff":    {argo{stopped: []string{"deployment/argocd-application-controller"}, stage: adopting}, true},
		"Reverting": {argo{stopped: []string{"deployment/argocd-application-controller"}, stage: reverting}, true},
	} {
		if got := tc.found.waits(); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
