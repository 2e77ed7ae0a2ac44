package app

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
)

// TestOrphanedResources tells of what no application has, as it comes and
// goes, and of nothing else.
func TestOrphanedResources(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1, "web/a.yaml": deployment("web", "0", "")})
	target := embeddedtest.Namespace(t, hubConfig)
	there := func(app *v1alpha1.Application) { app.Spec.Destination.Namespace = target }
	config := func(name string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: target, Name: name}}
	}
	left := config("left")
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: target, Name: "ignored"}}
	if err := e.Create(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	if err := e.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	p := e.project("tidy", func(s *v1alpha1.AppProjectSpec) {
		s.OrphanedResources = &v1alpha1.OrphanedResourcesMonitorSettings{Ignore: []v1alpha1.OrphanedResourceKey{{Kind: "Secret"}}}
	})
	const warning = v1alpha1.ApplicationConditionOrphanedResourceWarning
	// What another application has, and what its Deployment owns, is no orphan.
	e.app("web", "web", in("tidy"), there)
	e.app("plain", "plain", in("tidy"), there)
	e.until("web", "good", good)
	e.until("plain", "good", good)
	e.until("plain", "warned of one", complains(warning, "Application has 1 orphaned resources; see causeway orphans"))
	e.until("web", "warned of one", complains(warning, "Application has 1 orphaned resources"))

	more := config("more")
	if err := e.Create(t.Context(), more); err != nil {
		t.Fatal(err)
	}
	app := e.until("plain", "warned of two", complains(warning, "2 orphaned resources; see"))
	i, err := inspect.Open(t.Context(), inspect.Config{Hub: hubConfig, Namespace: e.namespace, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	found, asked, err := i.Orphans(t.Context(), app)
	if err != nil || !asked {
		t.Fatalf("asked %v: %v", asked, err)
	}
	want := []gitops.Key{{Kind: "ConfigMap", Namespace: target, Name: "left"}, {Kind: "ConfigMap", Namespace: target, Name: "more"}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, o := range []*corev1.ConfigMap{left, more} {
		if err := e.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	e.until("plain", "warned of nothing", func(app *v1alpha1.Application) bool { return condition(app, warning) == "" })
	if err := e.Create(t.Context(), config("again")); err != nil {
		t.Fatal(err)
	}
	e.until("plain", "warned again", complains(warning, "1 orphaned"))
	no := false
	e.amend(p, func(s *v1alpha1.AppProjectSpec) { s.OrphanedResources.Warn = &no })
	e.until("plain", "not warned, as the project asks", func(app *v1alpha1.Application) bool { return condition(app, warning) == "" })
}
