package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// crowded readies an engine that has so much room for manifests, and a cluster of which
// the project red has an Application that is applied without end: what comes in for that
// is in use until let is called.
func crowded(t *testing.T, bytes int64, files map[string]string) (e *engine, fill, let func()) {
	t.Helper()
	files["slow/a.yaml"] = strings.ReplaceAll(configMapV1, "settings", "slow")
	e = prepare(t, hubConfig, files)
	e.adjust = func(c *Config) { c.ManifestBytes, c.ClusterTimeout = bytes, time.Hour }
	e.restart()
	shared := newFrontOf(t, "/slow")
	shared.hangs.Store(true)
	e.describe("shared", shared.config())
	for _, name := range []string{"red", "blue"} {
		e.project(name, func(*v1alpha1.AppProjectSpec) {})
	}
	fill = func() {
		t.Helper()
		e.app("slow", "slow", in("red"), func(app *v1alpha1.Application) { app.Spec.Destination.Name = "shared" })
		embeddedtest.Eventually(t, func(context.Context) error {
			if shared.hanging.Load() == 0 {
				return errors.New("nothing hangs")
			}
			return nil
		})
	}
	return e, fill, func() { close(shared.letGo) }
}

// untilWithoutRoom waits until so many Applications find no room.
func (e *engine) untilWithoutRoom(want int) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		if used, refused := e.manifests.Used(); refused != want {
			return fmt.Errorf("%d find no room, want %d; %d bytes are in use", refused, want, used)
		}
		return nil
	})
}

// untilNoRoomIsUsed waits until nothing is left in use.
func (e *engine) untilNoRoomIsUsed() {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		if used, refused := e.manifests.Used(); used != 0 || refused != 0 {
			return fmt.Errorf("%d bytes are in use, and %d find no room", used, refused)
		}
		return nil
	})
}

// TestManifestsOfOneProject has a project with as many in use as it may. What is asked of
// its others waits for that and is not lost; another project does not.
func TestManifestsOfOneProject(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"back", "fresh", "asked", "gone", "new", "other"} {
		files[name+"/a.yaml"] = strings.ReplaceAll(version("1"), "settings", name)
	}
	e, fill, let := crowded(t, 4<<10, files)
	for _, name := range []string{"back", "fresh", "gone"} {
		e.app(name, name, in("red"))
		e.until(name, "good", good)
	}
	e.app("asked", "asked", in("red"), byHand)
	e.until("asked", "compared", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	e.write("back/a.yaml", strings.ReplaceAll(version("2"), "settings", "back"))
	e.untilVersion("back", "2")
	h := e.until("back", "good at version 2", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.History) == 2 }).Status.History

	fill()
	e.goBack("back", strconv.FormatInt(h[0].ID, 10), h[0])
	e.change("fresh", func(app *v1alpha1.Application) {
		annotate(app, v1alpha1.AnnotationRefresh, string(v1alpha1.RefreshTypeHard))
	})
	e.ask("asked", v1alpha1.SyncOperation{})
	e.app("new", "new", in("red"), noRetry)
	e.untilWithoutRoom(4)
	e.app("other", "other", in("blue"))
	e.until("other", "good, of another project", good)
	e.delete("gone")
	embeddedtest.Eventually(t, func(context.Context) error {
		if _, err := e.configMap("gone"); !apierrors.IsNotFound(err) {
			return fmt.Errorf("a deletion waits for room: %w", err)
		}
		return nil
	})
	e.untilWithoutRoom(4)
	for name, waits := range map[string]func(app *v1alpha1.Application) bool{
		"back": func(app *v1alpha1.Application) bool { return app.Operation != nil && good(app) },
		"fresh": func(app *v1alpha1.Application) bool {
			return app.Annotations[v1alpha1.AnnotationRefresh] != "" && good(app)
		},
		"asked": func(app *v1alpha1.Application) bool { return app.Operation != nil && app.Status.OperationState == nil },
		"new":   func(app *v1alpha1.Application) bool { return app.Status.Sync.Status == "" },
	} {
		app := e.until(name, "there", func(*v1alpha1.Application) bool { return true })
		if !waits(app) || len(app.Status.Conditions) > 0 {
			t.Errorf("%s does not wait as it was: %+v, %+v", name, app.Operation, app.Status)
		}
	}

	let()
	e.until("slow", "good", good)
	e.until("new", "good", good)
	e.untilVersion("back", "1")
	back := e.until("back", "rolled back", rolled)
	if !slices.ContainsFunc(back.Status.OperationState.Operation.Info, func(i v1alpha1.Info) bool { return i.Name == gitops.InfoKept }) {
		t.Error("it went back by its sources, although its manifests are kept")
	}
	e.until("fresh", "looked at again", func(app *v1alpha1.Application) bool {
		return app.Annotations[v1alpha1.AnnotationRefresh] == "" && good(app)
	})
	e.until("asked", "synced", endedAs(v1alpha1.OperationSucceeded))
	if s := e.syncs("back"); len(s) != 3 || s[0].Cause != history.Rollback {
		t.Errorf("the history does not tell that it went back once: %+v", s)
	}
	e.untilNoRoomIsUsed()
}

// TestManifestsOfAnotherRevision are lacking room when those of the spec have it: nothing
// of the sync has begun by then, and it begins once.
func TestManifestsOfAnotherRevision(t *testing.T) {
	e, fill, let := crowded(t, 8<<10, map[string]string{"asked/a.yaml": strings.ReplaceAll(version("1"), "settings", "asked")})
	e.app("asked", "asked", in("red"), byHand)
	found := e.until("asked", "compared", func(app *v1alpha1.Application) bool { return app.Status.Sync.Revision != "" })
	fill()
	e.ask("asked", v1alpha1.SyncOperation{Revision: found.Status.Sync.Revision})
	e.untilWithoutRoom(1)
	app := e.until("asked", "waiting", func(app *v1alpha1.Application) bool { return app.Operation != nil })
	if app.Status.OperationState != nil || len(app.Status.Conditions) > 0 || len(e.syncs("asked")) > 0 {
		t.Errorf("something has begun: %+v", app.Status)
	}
	if used, _ := e.manifests.Used(); used < 1<<10 || 3*used > 6<<10 {
		t.Errorf("%d bytes are in use: there is no room for one more, or for both", used)
	}
	let()
	e.until("asked", "synced", endedAs(v1alpha1.OperationSucceeded))
	e.until("slow", "good", good)
	if s := e.syncs("asked"); len(s) != 1 {
		t.Errorf("it was synced %d times: %+v", len(s), s)
	}
	e.untilNoRoomIsUsed()
}
