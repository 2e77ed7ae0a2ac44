package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestHostThatIsSilent has a team whose repositories never answer, more of
// them than there are workers, and sets of it that read such, too: what
// others do goes on, with repositories that are known and with new ones.
func TestHostThatIsSilent(t *testing.T) {
	const workers, silent = 4, 24
	over := make(chan struct{})
	var hanging atomic.Int32
	host := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		hanging.Add(1)
		defer hanging.Add(-1)
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(over); embeddedtest.Shut(host) })
	e := start(t, map[string]string{"blue/a.yaml": configMapV1}, func(c *Config) { c.Workers = workers })
	e.project("red", func(*v1alpha1.AppProjectSpec) {})
	e.app("blue", "blue")
	e.until("blue", "good", good)
	for i := range silent {
		url := fmt.Sprintf("%s/red/%d.git", host.URL, i)
		e.app(fmt.Sprintf("red-%d", i), "app", func(app *v1alpha1.Application) {
			app.Spec.Project, app.Spec.Source.RepoURL = "red", url
		})
		e.setOf("red", fmt.Sprintf("sets-%d", i), fmt.Sprintf("[{git: {repoURL: %q, revision: main, directories: [{path: '*'}]}}]", url), "red-{{path.basename}}", "x")
	}
	// Those that have no worker meanwhile, and those for which there was no room to wait.
	embeddedtest.Eventually(t, func(context.Context) error {
		if n := hanging.Load(); n < workers+workers/2 {
			return fmt.Errorf("%d requests hang", n)
		}
		return nil
	})
	e.write("blue/a.yaml", `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {version: "2"}}`)
	e.untilVersion("settings", "2")
	fresh := newRemote(t)
	fresh.commit("app/a.yaml", `{apiVersion: v1, kind: ConfigMap, metadata: {name: new}, data: {version: "1"}}`)
	e.app("new", "app", func(app *v1alpha1.Application) { app.Spec.Source.RepoURL = fresh.url })
	e.until("new", "good", good)
	if n := hanging.Load(); n == 0 {
		t.Error("nothing hangs any more")
	}
}
