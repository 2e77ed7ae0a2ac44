package app

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/source"
)

// TestCommandsReadAsTheProjectMay looks at an Application as `causeway diff`,
// `why --values` and `import argocd` do, and as Terraform does by them: what its
// repository names besides is read with no credential of a repository that its
// project does not permit.
func TestCommandsReadAsTheProjectMay(t *testing.T) {
	var signed atomic.Int32
	victim := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user == "blue" && password == "of-another-team" {
			signed.Add(1)
		}
		http.Error(w, "nothing", http.StatusNotFound)
	}))
	t.Cleanup(victim.Close)
	e := prepare(t, hubConfig, map[string]string{
		"web/Chart.yaml": "{apiVersion: v2, name: web, version: 1.0.0, dependencies: [{name: secrets, version: 1.0.0, repository: " +
			`"` + victim.URL + `/blue"}]}`,
		"web/templates/a.yaml": configMapV1,
	})
	e.make(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "blue", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository}},
		StringData: map[string]string{"url": victim.URL + "/blue", "type": "helm", "username": "blue", "password": "of-another-team"},
	})
	e.project("red", func(s *v1alpha1.AppProjectSpec) { s.SourceRepos = []string{repoURL} })
	e.project("denied", func(s *v1alpha1.AppProjectSpec) { s.SourceRepos = []string{"*", "!" + victim.URL + "/**"} })
	e.project("blue", func(s *v1alpha1.AppProjectSpec) { s.SourceRepos = []string{repoURL, victim.URL + "/blue"} })
	i := e.lookingWith(source.Mirror{URL: repoURL, Path: e.folder})
	for project, reads := range map[string]bool{"red": false, "denied": false, "blue": true} {
		signed.Store(0)
		app := e.unsaved("web", in(project))
		if err := looked(i, e.namespace)["Render"](t.Context(), app); err == nil {
			t.Errorf("%s: a chart is rendered without its dependency", project)
		}
		if got := signed.Load() > 0; got != reads {
			t.Errorf("%s: the repository of team blue is read with its credential: %t", project, got)
		}
		for way, look := range looked(i, e.namespace) {
			_ = look(t.Context(), app) // it may fail; who is asked, and with what, is what counts
			if n := signed.Load(); n > 0 && !reads {
				t.Errorf("%s, %s: the other team's repository was asked %d times with its credential", project, way, n)
			}
		}
	}
}

// TestCommandsLendNothingOfTheMachine: where a project permits everything, an
// Application is given no folder and no key of the person who looks at it.
func TestCommandsLendNothingOfTheMachine(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"plain/a.yaml": configMapV1})
	e.project("all", func(s *v1alpha1.AppProjectSpec) { s.SourceRepos = []string{"*"} })
	app := e.unsaved("plain", in("all"))
	i := e.lookingWith(source.Mirror{URL: repoURL, Path: e.folder})
	if _, err := i.Render(t.Context(), app); err != nil {
		t.Fatalf("what a mirror has is not read: %v", err)
	}
	for address, says := range map[string]string{
		"file://" + t.TempDir():         "are no repositories",
		"ssh://git@127.0.0.1:1/private": "no key is given",
	} {
		changed := app.DeepCopy()
		changed.Spec.Source.RepoURL = address
		if _, err := i.Render(t.Context(), changed); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s is opened: %v", address, err)
		}
	}
}

// lookingWith looks at the hub as a command does, with mirrors.
func (e *engine) lookingWith(mirrors ...source.Mirror) *inspect.Inspector {
	e.t.Helper()
	i, err := inspect.Open(e.t.Context(), inspect.Config{Hub: e.hub, Namespace: e.namespace, Log: slog.New(slog.DiscardHandler), Mirrors: mirrors})
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(i.Close)
	return i
}

// unsaved is an Application that the hub does not have, so no engine reads for it.
func (e *engine) unsaved(path string, change func(*v1alpha1.Application)) *v1alpha1.Application {
	app := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Name: path, Namespace: e.namespace},
		Spec: v1alpha1.ApplicationSpec{
			Source:      &v1alpha1.ApplicationSource{RepoURL: repoURL, Path: path, TargetRevision: "HEAD"},
			Destination: v1alpha1.ApplicationDestination{Name: "in-cluster", Namespace: e.namespace},
		},
	}
	change(app)
	return app
}
