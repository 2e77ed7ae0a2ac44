package bootstrap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestWhatGitSays(t *testing.T) {
	for name, c := range map[string]struct{ reason, said, want string }{
		"Plain":    {"it is told as it is", "error: failed to push some refs to '/srv/fleet.git'", "error: failed to push some refs to '/srv/fleet.git'"},
		"Password": {"a password is left out", "fatal: cannot use 'https://me:hunter2@h/x/': no", "fatal: cannot use 'https://h/x/': no"},
		"Odd":      {"wherever it ends", "fatal: unable to access 'https://me:hun/ter2@h/x/': no", "fatal: unable to access '…@h/x/': no"},
		"Token":    {"a user may be a token", "fatal: cannot use https://hunter2@h/x", "fatal: cannot use https://h/x"},
		"Query":    {"and so may a query", "fatal: unable to access 'https://h/x?t=hunter2/': no", "fatal: unable to access 'https://h/x no"},
		"Host":     {"a host may be told alone", "fatal: unable to look up me:hunter2@h:1 (port 9418)", "fatal: unable to look up …@h:1 (port 9418)"},
		"SSH":      {"ssh needs its user", "fatal: ssh://git@h/x and git@h:x", "fatal: ssh://git@h/x and git@h:x"},
		"Denied":   {"whom it names", "git@h: Permission denied (publickey).", "git@h: Permission denied (publickey)."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := discreet(c.said); got != c.want {
				t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

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
