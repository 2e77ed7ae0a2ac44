package bootstrap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAddressesOfTheHubsSecret(t *testing.T) {
	live := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: "hub", ManagedFields: owned(`{"f:metadata":{"f:annotations":{"f:workloads_repo_url":{},"f:contact":{}}}}`),
		Annotations: map[string]string{"addons_repo_url": "https://me:old@h/x", "workloads_repo_url": "https://me:old@h/y", "clusters_repo_url": "https://me:theirs@h/z", "contact": "https://me@h"},
	}}
	h := Hub{Namespace: "argocd", Name: "hub", URL: "ssh://git@h/x", Roots: []string{"addons"}}
	want := map[string]string{"addons_repo_url": "ssh://git@h/x", "workloads_repo_url": "https://h/y", "contact": "https://me@h"}
	got := h.Secret(live).GetAnnotations()
	for key := range got {
		if strings.HasPrefix(key, "addons_repo_") && key != "addons_repo_url" || key == "environment" || key == labelName {
			delete(got, key)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is written (-want +got):\n%s", diff)
	}
}

func TestAddressesThatAreAskedFor(t *testing.T) {
	for raw, fine := range map[string]bool{
		"https://git.example.com/x": true, "ssh://git@git.example.com/x": true, "git@git.example.com:x": true,
		"https://me:hunter2@git.example.com/x": false, "https://hunter2@git.example.com/x": false, "ssh://git:hunter2@git.example.com/x": false,
		"me:hunter2@git.example.com/x": false, "https://git.example.com/x?t=hunter2": false,
	} {
		h := Hub{Name: "hub", Metadata: Metadata{Annotations: map[string]string{"workloads_repo_url": raw}}}
		for what, err := range map[string]error{"the repository": Repository{URL: raw}.Check(), "an annotation": h.Check()} {
			if (err == nil) != fine || err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s as %s: %v", raw, what, err)
			}
		}
	}
}
