package serve_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Who may read a cluster asks what would be if its metadata named another team's
// repository, as a set takes its files from there: that repository is not read for
// a set whose project does not permit it.
func TestTrialReadsWhatTheProjectPermits(t *testing.T) {
	b := newBorder(t)
	theirs := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.ID("vault"), Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}}}
	theirs.Spec = v1alpha1.ApplicationSpec{
		Project: "theirs", Source: &v1alpha1.ApplicationSource{RepoURL: b.vault, Path: "app"},
		Destination: v1alpha1.ApplicationDestination{Name: "in-cluster", Namespace: b.theirs},
	}
	b.Write("teams/ours/config.yaml", "colour: red")
	dev := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: b.Namespace, Name: "dev", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "enable_web": "true"},
			Annotations: map[string]string{"repo": apptest.RepoURL, "folder": "teams/ours"},
		},
		StringData: map[string]string{"name": "dev", "server": "https://127.0.0.1:1/dev", "config": "{}"},
	}
	set := &v1alpha1.ApplicationSet{}
	text := fmt.Sprintf(`
metadata: {name: webs, namespace: %[1]s}
spec:
  generators:
    - matrix:
        generators:
          - clusters: {selector: {matchLabels: {enable_web: "true"}}}
          - git: {repoURL: '{{metadata.annotations.repo}}', revision: HEAD, files: [{path: '{{metadata.annotations.folder}}/config.yaml'}]}
  template:
    metadata: {name: '%[2]s-{{name}}'}
    spec:
      project: ours
      source: {repoURL: '%[3]s', path: app, targetRevision: HEAD, kustomize: {commonAnnotations: {colour: '{{colour}}'}}}
      destination: {name: in-cluster, namespace: %[4]s}
`, b.Namespace, b.ID("web"), apptest.RepoURL, b.ours)
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		t.Fatal(err)
	}
	if err := b.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	if err := b.Create(t.Context(), dev); err != nil {
		t.Fatal(err)
	}
	if err := b.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	sees(t, b.v, "/applications?applicationSet=webs", func(p *view.Page) error {
		if p.Total != 1 {
			return fmt.Errorf("the list has %+v", p.Items)
		}
		return nil
	})
	if n := b.asked.Load(); n != 0 {
		t.Fatalf("their repository was asked %d times before", n)
	}
	p := previewed(t, b.v, "dev", api.BridgeEdit{In: "annotation", Name: "repo", Value: b.vault})
	if n := b.asked.Load(); n != 0 {
		t.Errorf("their repository was asked %d times for a set of our project: %+v", n, p)
	}
}
