package hub

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source"
)

// TestAccess holds that a Secret which says nothing is named with its place, and that
// the others count all the same.
func TestAccess(t *testing.T) {
	secret := func(name string, data map[string]string) corev1.Secret {
		return corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository}}, StringData: data,
		}
	}
	good := secret("good", map[string]string{"url": "https://git.example.com/team/apps", "username": "ann", "password": "hunter2"})
	bad := secret("bad", map[string]string{"username": "ann"})
	known, errs := AccessWritten([]WrittenSecret{{Secret: bad, At: gitops.Origin{File: "secrets.yaml", Line: 7}}, {Secret: good}}, source.Trust{})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "secrets.yaml:7") || !strings.Contains(errs[0].Error(), "bad") {
		t.Errorf("what says nothing: %v", errs)
	}
	if c, _ := known.For("https://git.example.com/team/apps", ""); c.Username != "ann" {
		t.Errorf("what opens the repository is %q's", c.Username)
	}
	if _, errs := Access([]corev1.Secret{good, bad}, source.Trust{}); len(errs) != 1 || strings.Contains(errs[0].Error(), "yaml") {
		t.Errorf("where no file has them: %v", errs)
	}
}
