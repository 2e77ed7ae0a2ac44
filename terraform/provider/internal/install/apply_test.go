package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"
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

// TestRefuses: whoever handed back to Argo CD meant that, and learns how to have
// it otherwise.
func TestRefuses(t *testing.T) {
	runs := []string{"deployment/argocd-application-controller"}
	m := model{ID: types.StringValue("argocd/causeway"), Namespace: types.StringValue("argocd")}
	for name, tc := range map[string]struct {
		reason string
		found  argo
		before model
		want   []string // parts of the error; empty for none
	}{
		"New":        {"it is to take over", argo{running: runs}, model{}, nil},
		"Again":      {"it is made anew after a way back", argo{running: runs, stage: "reverted"}, model{}, nil},
		"CutOff":     {"it goes on", argo{running: runs, stage: adopting}, m, nil},
		"HandedBack": {"it would run beside Argo CD", argo{running: runs, stage: "reverted"}, m, []string{runs[0], "causeway import argocd --apply --namespace argocd, and apply again", "take this resource out"}},
		"Beside":     {"the same without a takeover", argo{running: runs}, m, []string{runs[0]}},
		"Reverting":  {"somebody hands back", argo{running: runs, stage: reverting}, m, []string{"causeway import argocd --revert --namespace argocd"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.found.refuses(m, tc.before)
			if len(tc.want) == 0 && err != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
			for _, want := range tc.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: got %v, want %q", tc.reason, err, want)
				}
			}
		})
	}
}
