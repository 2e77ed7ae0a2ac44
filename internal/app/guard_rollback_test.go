package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// laterThan waits until what is there is older than what is made, also where clocks differ a little.
func (e *engine) laterThan(name string) {
	e.t.Helper()
	cm, err := e.configMap(name)
	if err != nil {
		e.t.Fatal(err)
	}
	embeddedtest.Eventually(e.t, func(context.Context) error {
		if time.Since(cm.CreationTimestamp.Time) < 5*time.Second {
			return errors.New("it may have been made just now")
		}
		return nil
	})
}

// TestRollbackDeletesUnheldOnlyWhatTheSyncMade has a sync adopt what was there before, and not get healthy.
func TestRollbackDeletesUnheldOnlyWhatTheSyncMade(t *testing.T) {
	for name, prepare := range map[string]func(*engine){
		"Adopted": func(e *engine) { // somebody made them with kubectl, or Helm
			for i := range 8 {
				e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("cm-%02d", i)}, Data: map[string]string{"version": "0"}})
			}
		},
		"Kept": func(e *engine) { // they are the application's, and the sync that is gone back to has left them
			e.atOnce(func() {
				for i := range 8 {
					e.write(fmt.Sprintf("app/%02d.yaml", i), marked(fmt.Sprintf("cm-%02d", i), "argocd.argoproj.io/sync-options: Prune=false"))
				}
				e.write("app/keep.yaml", strings.ReplaceAll(version("2"), "settings", "keep"))
			})
			e.untilVersion("keep", "2")
			e.until("app", "good", good)
			e.atOnce(func() {
				for i := range 8 {
					e.remove(fmt.Sprintf("app/%02d.yaml", i))
				}
				e.write("app/keep.yaml", strings.ReplaceAll(version("3"), "settings", "keep"))
			})
			e.untilVersion("keep", "3")
			e.until("app", "done with what is kept", func(app *v1alpha1.Application) bool {
				return len(app.Status.History) == 3 && app.Status.OperationState.Phase == v1alpha1.OperationSucceeded
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, map[string]string{"app/keep.yaml": strings.ReplaceAll(configMapV1, "settings", "keep")}, hasty)
			e.app("app", "app", noRetry)
			e.until("app", "good", good)
			prepare(e)
			e.laterThan("cm-07")
			e.change("app", atomicApp("3s"))
			e.atOnce(func() {
				for file, text := range many(0, 8) {
					e.write(file, text)
				}
				e.write("app/web.yaml", deployment("web", "0", neverReady))
			})
			e.says("app", heldError, "denied", "8 objects", "cm-00")
			if got := e.left(); got != 8 {
				t.Errorf("%d objects are left of 8 that were there before the sync that is rolled back", got)
			}
			e.write("app/web.yaml", deployment("web", "0", ""))
			e.until("app", "good after a fix", func(app *v1alpha1.Application) bool { return good(app) && condition(app, heldError) == "" })
			if got := e.left(); got != 8 {
				t.Errorf("%d objects are left of 8 after a fix", got)
			}
		})
	}
}
