package hub

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/source"
)

// repoSecret is a Secret of a type.
func repoSecret(name, kind string, data map[string]string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelSecretType: kind}}, StringData: data}
}

// What opens repositories follows the Secrets one by one: what one said before holds no
// longer when it says nothing any more, or is gone.
func TestCredentialsFollowSecrets(t *testing.T) {
	const url = "https://git.example.com/team/apps"
	sound := map[string]string{"url": url, "username": "ann", "password": "hunter2"}
	other := map[string]string{"url": url, "username": "bob", "password": "hunter3"}
	for name, tc := range map[string]struct {
		reason string
		then   *corev1.Secret
		want   string
		fails  bool
	}{
		"Same":    {"it says the same", repoSecret("a", v1alpha1.SecretTypeRepository, sound), "ann", false},
		"Changed": {"it says another user", repoSecret("a", v1alpha1.SecretTypeRepository, other), "bob", false},
		"Gone":    {"it was deleted", nil, "", false},
		"Broken":  {"it has no address any more", repoSecret("a", v1alpha1.SecretTypeRepository, map[string]string{"username": "ann"}), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			sources := &source.Credentials{}
			c := NewCredentials(sources)
			at := types.NamespacedName{Namespace: "argocd", Name: "a"}
			if err := c.Put(at, repoSecret("a", v1alpha1.SecretTypeRepository, sound)); err != nil {
				t.Fatal(err)
			}
			if err := c.Put(at, tc.then); (err != nil) != tc.fails || err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if got, _ := sources.For(url, ""); got.Username != tc.want {
				t.Errorf("%s: %q opens it, want %q", tc.reason, got.Username, tc.want)
			}
		})
	}
}

// The repositories of a project are permitted to it: those that are its own, and none
// that a template of credentials stands for.
func TestRepositoriesOfAProject(t *testing.T) {
	c := NewCredentials(&source.Credentials{})
	for name, secret := range map[string]*corev1.Secret{
		"b": repoSecret("b", v1alpha1.SecretTypeRepository, map[string]string{"url": "https://git/b", "project": "shop"}),
		"a": repoSecret("a", v1alpha1.SecretTypeRepository, map[string]string{"url": "https://git/a", "project": "shop"}),
		"o": repoSecret("o", v1alpha1.SecretTypeRepository, map[string]string{"url": "https://git/other", "project": "bank"}),
		"n": repoSecret("n", v1alpha1.SecretTypeRepository, map[string]string{"url": "https://git/all"}),
		"t": repoSecret("t", v1alpha1.SecretTypeRepoCreds, map[string]string{"url": "https://git/", "project": "shop"}),
	} {
		if err := c.Put(types.NamespacedName{Name: name}, secret); err != nil {
			t.Fatal(err)
		}
	}
	for project, want := range map[string][]string{"shop": {"https://git/a", "https://git/b"}, "bank": {"https://git/other"}, "none": nil} {
		if diff := cmp.Diff(want, c.Of(project)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", project, diff)
		}
	}
}

// The engine asks for no other Secrets than those that describe something to it.
func TestNoOtherSecretsAreSelected(t *testing.T) {
	describing, err := Describing()
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]bool{"cluster": true, "repository": true, "repo-creds": true, "cluster-2": false, "": false} {
		if got := describing.Matches(labels.Set{v1alpha1.LabelSecretType: kind}); got != want {
			t.Errorf("a Secret of type %q is selected: %t", kind, got)
		}
	}
	if describing.Matches(labels.Set{"app": "cluster"}) {
		t.Error("a Secret without a type is selected")
	}
	if _, err := SecretsOf(); err == nil {
		t.Error("no type at all selects something")
	}
}
