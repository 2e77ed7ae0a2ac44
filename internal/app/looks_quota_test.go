package app

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestLooksAskNoHostAgain holds that pages have what the engine was answered.
func TestLooksAskNoHostAgain(t *testing.T) {
	host := &gitHost{}
	host.now(nil, pull(1, "a"))
	e := prepare(t, hubConfig, map[string]string{"app/Chart.yaml": chartYAML, "app/templates/cm.yaml": chartTemplate})
	e.adjust = func(c *Config) { c.GitHosts = host }
	e.restart()
	e.set("previews", "[{pullRequest: {github: {owner: org, repo: web}}}]", "pr-{{number}}", "v")
	e.untilShows("pr-1", "v")
	outline, found := e.looked("previews")
	if len(outline.Sets) != 1 || outline.Sets[0].Err != nil || len(found.Applications) != 1 || found.Applications[0].Name != e.namespace+"-pr-1" {
		t.Errorf("the bridge has %+v, and the set gives %+v", outline.Sets, found)
	}
	host.mu.Lock()
	defer host.mu.Unlock()
	if host.asked != 1 {
		t.Errorf("the host was asked %d times, by the engine and by who looks", host.asked)
	}
}

// looked is what pages show of a set: in the outline of the bridge, and by itself.
func (e *engine) looked(name string) (outline bridge.Fleet, set *api.Expansion) {
	e.t.Helper()
	i, stored := e.inspector(), &v1alpha1.ApplicationSet{}
	err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, stored)
	if err == nil {
		outline, err = i.Outline(e.t.Context())
	}
	if err == nil {
		set, err = i.Expand(e.t.Context(), stored, api.SetLook{Limit: 10, Sees: func(*api.GeneratedApp) bool { return true }})
	}
	if err != nil {
		e.t.Fatal(err)
	}
	return outline, set
}
