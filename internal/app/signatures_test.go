package app

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/signature/signtest"
)

// complains reports whether a condition of a type has all of the words.
func complains(kind string, words ...string) func(*v1alpha1.Application) bool {
	return func(app *v1alpha1.Application) bool {
		message := condition(app, kind)
		return message != "" && containsAll(message, words)
	}
}

// TestOnlySignedCommitsAreDeployed also tells that the keys are followed: an
// application goes on when the key of its commits is made known.
func TestOnlySignedCommitsAreDeployed(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"plain/a.yaml": configMapV1})
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
	unsigned := e.until("plain", "refused without signature", complains(v1alpha1.ApplicationConditionComparisonError, "is not signed", "Ann"))
	if _, err := e.inspector().Render(t.Context(), unsigned); err == nil || !strings.Contains(err.Error(), "is not signed") {
		t.Errorf("what no sync would deploy is rendered for who looks: %v", err)
	}
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

// TestGeneratorsReadSignedCommits alone, where the project of their set asks for
// it, and look again when it no longer does.
func TestGeneratorsReadSignedCommits(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"plain/a.yaml": configMapV1})
	ann := signtest.New(t, "ann", time.Now().Add(-time.Hour), 0)
	repo := signtest.Init(t, e.folder)
	repo.Commit("first", ann)
	e.adjust = func(c *Config) { c.Folders = true } // whose tags it reads
	e.restart()
	e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: source.KeysMap}, Data: map[string]string{ann.ID(): ann.Public()}})
	p := e.project("signed", func(s *v1alpha1.AppProjectSpec) { s.SignatureKeys = []v1alpha1.SignatureKey{{KeyID: ann.ID()}} })
	e.make(e.setOfFolders(p.Name))
	made := func(n int64) func(*v1alpha1.ApplicationSet) bool {
		return func(s *v1alpha1.ApplicationSet) bool { return s.Status.ResourcesCount == n }
	}
	e.untilSet("folders", made(1))

	e.write("more/a.yaml", strings.ReplaceAll(configMapV1, "settings", "more"))
	repo.Commit("not signed", nil)
	e.untilSetFails("folders", "is not signed")
	i := e.inspector()
	if out, err := i.Expand(t.Context(), e.setOfFolders(p.Name), api.SetLook{}); err != nil || !strings.Contains(out.Problem, "is not signed") {
		t.Errorf("what is not signed is expanded for who looks: %+v, %v", out, err)
	}
	e.untilSet("folders", made(1))
	e.amend(p, func(s *v1alpha1.AppProjectSpec) { s.SignatureKeys = nil })
	e.untilSet("folders", made(2))
}

// setOfFolders makes an Application for each folder of the repository.
func (e *engine) setOfFolders(project string) *v1alpha1.ApplicationSet {
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "folders"}}
	set.Spec.Generators = []v1alpha1.ApplicationSetGenerator{{Git: &v1alpha1.GitGenerator{
		RepoURL: repoURL, Revision: "HEAD", Directories: []v1alpha1.GitDirectoryGeneratorItem{{Path: "*"}},
	}}}
	set.Spec.Template.Name = "of-{{path.basename}}"
	set.Spec.Template.Spec = v1alpha1.ApplicationSpec{
		Project: project, Source: &v1alpha1.ApplicationSource{RepoURL: repoURL, Path: "{{path}}"},
		Destination: v1alpha1.ApplicationDestination{Server: gitops.HubServer, Namespace: e.namespace},
	}
	return set
}

// TestUnsignedCommitsMoveNoApplication out of the project that asks for signatures:
// its set takes the project from a file.
func TestUnsignedCommitsMoveNoApplication(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"plain/a.yaml": configMapV1})
	ann := signtest.New(t, "ann", time.Now().Add(-time.Hour), 0)
	repo := signtest.Init(t, e.folder)
	e.adjust = func(c *Config) { c.Folders = true } // whose tags it reads
	e.restart()
	e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: source.KeysMap}, Data: map[string]string{ann.ID(): ann.Public()}})
	strict := e.project("strict", func(s *v1alpha1.AppProjectSpec) { s.SignatureKeys = []v1alpha1.SignatureKey{{KeyID: ann.ID()}} })
	loose := e.project("loose", func(*v1alpha1.AppProjectSpec) {})
	e.write("of/moved.json", fmt.Sprintf(`{"app": "moved", "project": %q}`, strict.Name))
	e.write("of/other.json", fmt.Sprintf(`{"app": "other", "project": %q}`, loose.Name))
	repo.Commit("signed", ann)
	set := e.setOfFolders("{{project}}")
	set.Spec.Generators[0].Git.Directories = nil
	set.Spec.Generators[0].Git.Files = []v1alpha1.GitFileGeneratorItem{{Path: "of/*.json"}}
	set.Spec.Template.Name, set.Spec.Template.Spec.Source.Path = "{{app}}-"+e.namespace, "plain"
	e.make(set)
	of := func(project string) func(*v1alpha1.Application) bool {
		return func(app *v1alpha1.Application) bool { return app.Spec.Project == project }
	}
	e.until("moved", "made in the project that asks", of(strict.Name))

	e.write("of/moved.json", fmt.Sprintf(`{"app": "moved", "project": %q}`, loose.Name))
	repo.Commit("not signed", nil)
	e.untilSetFails("folders", "cannot create 1 of 2 applications: moved-"+e.namespace+": cannot change Application moved")
	e.until("moved", "left where it is", of(strict.Name))
	e.amend(strict, func(s *v1alpha1.AppProjectSpec) { s.SignatureKeys = nil })
	e.until("moved", "moved when nothing is asked any more", of(loose.Name))
}
