package app

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/signature/signtest"
)

// complains tells that a condition of a type has all of the words.
func complains(kind string, words ...string) func(*v1alpha1.Application) bool {
	return func(app *v1alpha1.Application) bool {
		message := condition(app, kind)
		return message != "" && containsAll(message, words)
	}
}

// TestOnlySignedCommitsAreDeployed also tells that the keys are followed: an
// application goes on when the key of its commits is made known.
func TestOnlySignedCommitsAreDeployed(t *testing.T) {
	e := prepare(t, hub, map[string]string{"plain/a.yaml": configMapV1})
	ann := signtest.New(t, "ann", time.Now().Add(-time.Hour), 0)
	repo := signtest.Init(t, e.folder)
	repo.Commit("first", ann)
	e.adjust = func(c *Config) { c.Folders = true } // whose tags it reads
	e.restart()
	e.project("signed", func(s *v1alpha1.AppProjectSpec) { s.SignatureKeys = []v1alpha1.SignatureKey{{KeyID: ann.ID()}} })
	e.app("plain", "plain", in("signed"))
	e.until("plain", "refused for its key", complains(v1alpha1.ApplicationConditionComparisonError, ann.ID(), "argocd-gpg-keys-cm"))
	if _, err := e.configMap("settings"); err == nil {
		t.Error("a commit of an unknown key was deployed")
	}
	e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: source.KeysMap}, Data: map[string]string{ann.ID(): ann.Public()}})
	e.until("plain", "good when the key is known", good)

	e.write("plain/a.yaml", `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {version: "2"}}`)
	repo.Commit("not signed", nil)
	e.until("plain", "refused without signature", complains(v1alpha1.ApplicationConditionComparisonError, "is not signed", "Ann"))
	e.untilVersion("settings", "1")
	repo.Commit("signed again", ann)
	e.untilVersion("settings", "2")
	e.until("plain", "good again", good)

	e.app("chart", "", in("signed"), func(app *v1alpha1.Application) {
		app.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: chartsURL, Chart: "web", TargetRevision: "*"}
	})
	e.until("chart", "refused as a chart", complains(v1alpha1.ApplicationConditionComparisonError, "Git repositories alone", `"signed"`))

	// An annotated tag answers for its commit.
	tagged := signtest.Init(t, t.TempDir())
	put(t, filepath.Join(tagged.Dir, "plain", "a.yaml"), strings.ReplaceAll(configMapV1, "settings", "tagged"))
	tagged.Commit("not signed", nil)
	tagged.Tag("v1.0.0", ann)
	tagged.Tag("v2.0.0", nil)
	e.app("tag", "plain", in("signed"), func(app *v1alpha1.Application) {
		app.Spec.Source.RepoURL, app.Spec.Source.TargetRevision = "file://"+tagged.Dir, "2.x"
	})
	e.until("tag", "refused without signature", complains(v1alpha1.ApplicationConditionComparisonError, "tag v2.0.0", "is not signed"))
	if _, err := e.configMap("tagged"); err == nil {
		t.Error("a tag that nobody signed was deployed")
	}
	e.change("tag", func(app *v1alpha1.Application) { app.Spec.Source.TargetRevision = "v1.0.0" })
	e.until("tag", "good at the signed tag", good)
	e.untilVersion("tagged", "1")
}
