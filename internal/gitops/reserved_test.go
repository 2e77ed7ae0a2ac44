package gitops

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestReserved has names that somebody would have a cluster called.
func TestReserved(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, secret string
		want           string
	}{
		"Sessions": {"the engine makes it at the first sign-out", "causeway-sessions", "begin with causeway-"},
		"Later":    {"also one that a later version has", "causeway-whatever", "begin with causeway-"},
		"Accounts": {"a hub without Argo CD has none", "argocd-secret", "begin with argocd-"},
		"Release":  {"the next revision could not be installed", "sh.helm.release.v1.causeway.v2", "begin with sh.helm.release."},
		"Cluster":  {"what Argo CD calls Secrets of clusters", "cluster-1.2.3.4-123", ""},
		"Own word": {"the name alone is a name as any", "causeway", ""},
		"Within":   {"nor does it matter further in", "team-argocd-secret", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Reserved(tc.secret); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s: told %q", tc.reason, got)
			}
		})
	}
}

// What is the engine's own by its whole name is so by its beginning.
func TestOwnSecretsAreReserved(t *testing.T) {
	for _, name := range own {
		if Reserved(name) == "" || !OwnSecret(name) {
			t.Errorf("%s is not reserved", name)
		}
	}
	if OwnSecret("argocd-repo-prod") {
		t.Error("a Secret that somebody calls as Argo CD's is no longer theirs")
	}
}

func TestMisused(t *testing.T) {
	if err := Misused("causeway-keys", map[string]string{"app.kubernetes.io/part-of": "causeway"}); err != nil {
		t.Errorf("the engine's own: %v", err)
	}
	err := Misused("causeway-keys", map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster})
	if err == nil || !strings.Contains(err.Error(), "Secret causeway-keys has the label argocd.argoproj.io/secret-type: cluster") {
		t.Errorf("one that describes a cluster: %v", err)
	}
}
