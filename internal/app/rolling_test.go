package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// rolled is a set of applications dev, stg, p1 and p2 in three steps, of the
// folders of these names.
func (e *engine) rolled() *v1alpha1.ApplicationSet {
	e.t.Helper()
	set := &v1alpha1.ApplicationSet{}
	text := fmt.Sprintf(`
metadata: {name: rolled, namespace: %[1]s}
spec:
  generators:
    - list:
        elements:
          - {name: dev, env: dev}
          - {name: stg, env: stg}
          - {name: p1, env: prod}
          - {name: p2, env: prod}
  strategy:
    type: RollingSync
    deletionOrder: Reverse
    rollingSync:
      steps:
        - matchExpressions: [{key: env, operator: In, values: [dev]}]
        - matchExpressions: [{key: env, operator: In, values: [stg]}]
        - matchExpressions: [{key: env, operator: NotIn, values: [dev, stg]}]
          maxUpdate: 50%%
  template:
    metadata: {name: '{{name}}-%[1]s', labels: {env: '{{env}}'}}
    spec:
      project: default
      source: {repoURL: %[2]s, path: '{{name}}', targetRevision: HEAD}
      destination: {name: in-cluster, namespace: %[1]s}
      syncPolicy: {automated: {prune: true}, retry: {limit: 0}}
`, e.namespace, repoURL)
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		e.t.Fatal(err)
	}
	return set
}

var rolledApps = []string{"dev", "stg", "p1", "p2"}

// commit writes a version of all four applications at once; simulate makes the
// Deployment of one of them behave.
func (e *engine) commit(version string, simulate map[string]string) {
	e.t.Helper()
	e.atOnce(func() {
		for _, name := range rolledApps {
			e.write(name+"/web.yaml", deployment(name, "0", simulate[name]))
			e.write(name+"/cm.yaml", fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {version: %q}\n", name, version))
		}
	})
}

// untilEntry waits until the set's status shows an application so.
func (e *engine) untilEntry(app string, status v1alpha1.ProgressiveSyncStatusCode, words string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		set := &v1alpha1.ApplicationSet{}
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "rolled"}, set); err != nil {
			return err
		}
		for _, s := range set.Status.ApplicationStatus {
			if s.Application == e.id(app) && s.Status == status && strings.Contains(s.Message, words) {
				return nil
			}
		}
		return fmt.Errorf("%s is not %s (%s): %+v", app, status, words, set.Status.ApplicationStatus)
	})
}

// untilRolled waits for a condition of the roll-out.
func (e *engine) untilRolled(status v1alpha1.ApplicationSetConditionStatus, words string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		set := &v1alpha1.ApplicationSet{}
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "rolled"}, set); err != nil {
			return err
		}
		for _, c := range set.Status.Conditions {
			if c.Type == v1alpha1.ApplicationSetConditionRolloutProgressing && c.Status == status && strings.Contains(c.Message, words) {
				return nil
			}
		}
		return fmt.Errorf("conditions are %+v, applications %+v", set.Status.Conditions, set.Status.ApplicationStatus)
	})
}

// inOrder checks that each application got a version after the one before:
// revisions of the API server only grow.
func (e *engine) inOrder(version string) {
	e.t.Helper()
	var last uint64
	for _, name := range rolledApps {
		e.untilVersion(name, version)
		cm, err := e.configMap(name)
		if err != nil {
			e.t.Fatal(err)
		}
		at, err := strconv.ParseUint(cm.ResourceVersion, 10, 64)
		if err != nil || at < last {
			e.t.Errorf("%s got version %s before the application of the step before: %d, %d, %v", name, version, at, last, err)
		}
		last = at
	}
}

// keeps checks that objects are at a version.
func (e *engine) keeps(version string, names ...string) {
	e.t.Helper()
	for _, name := range names {
		if cm, err := e.configMap(name); err != nil || cm.Data["version"] != version {
			e.t.Errorf("%s is not at version %s any more: %v, %v", name, version, cm, err)
		}
	}
}

// halts checks that applications stay at a version when their set is looked at again, and they are.
func (e *engine) halts(version string, names ...string) {
	e.t.Helper()
	e.refresh("rolled")
	e.looksAt(names...)
	e.keeps(version, names...)
}

func (e *engine) annotateSet(key, value string) {
	e.t.Helper()
	patch := fmt.Sprintf(`{"metadata": {"annotations": {%q: %s}}}`, key, value)
	set := &v1alpha1.ApplicationSet{}
	set.Namespace, set.Name = e.namespace, "rolled"
	if err := e.Patch(e.t.Context(), set, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		e.t.Fatal(err)
	}
}

const (
	isRolling = v1alpha1.ApplicationSetConditionStatusTrue
	isRolled  = v1alpha1.ApplicationSetConditionStatusFalse
)

func TestRollingSync(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.commit("1", map[string]string{"dev": slow})
	stop := e.restart()
	if err := e.Create(t.Context(), e.rolled()); err != nil {
		t.Fatal(err)
	}
	e.untilRolled(isRolled, "complete")
	e.inOrder("1")
	app := e.until("p1", "synced by the roll-out", good)
	if op := app.Status.OperationState.Operation; op.InitiatedBy.Username != v1alpha1.ApplicationSetInitiator || !op.Sync.Prune {
		t.Errorf("the sync was not the roll-out's: %+v", op)
	}
	if app.Spec.SyncPolicy.IsAutomated() {
		t.Error("an application of a roll-out syncs by itself")
	}

	// A step that does not get healthy holds the next ones, also for an engine
	// that was started anew.
	e.commit("2", map[string]string{"dev": neverReady})
	e.untilVersion("dev", "2")
	e.untilEntry("stg", v1alpha1.ProgressiveSyncWaiting, "step 1")
	e.halts("1", "stg", "p1", "p2")
	stop()
	stop = e.restart()
	e.untilRolled(isRolling, e.id("dev"))
	e.halts("1", "stg", "p1", "p2")

	// A new commit in the middle goes through all steps; half of the last one
	// at a time.
	e.commit("3", map[string]string{"p1": neverReady})
	e.untilVersion("p1", "3")
	e.untilEntry("p2", v1alpha1.ProgressiveSyncWaiting, "maxUpdate")
	e.halts("1", "p2")
	e.commit("4", map[string]string{"stg": slow})
	e.untilRolled(isRolled, "complete")
	e.inOrder("4")

	// A person pauses it.
	e.annotateSet(gitops.AnnotationRolloutPaused, `"true"`)
	e.commit("5", nil)
	e.untilRolled(isRolling, "paused")
	e.halts("4", rolledApps...)
	e.annotateSet(gitops.AnnotationRolloutPaused, "null")
	e.untilRolled(isRolled, "complete")
	e.inOrder("5")
	stop()
}

// closed is a window that denies every automated sync of some applications.
func closed(applications string) *v1alpha1.SyncWindow {
	return &v1alpha1.SyncWindow{Kind: "deny", Schedule: "* * * * *", Duration: "24h", Applications: []string{applications}}
}

func TestStepWaitsForItsSyncWindow(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.commit("1", nil)
	stop := e.restart()
	p := e.project("windows", func(*v1alpha1.AppProjectSpec) {})
	set := e.rolled()
	set.Spec.Template.Spec.Project = "windows"
	if err := e.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	e.untilRolled(isRolled, "complete")

	e.amend(p, func(s *v1alpha1.AppProjectSpec) { s.SyncWindows = v1alpha1.SyncWindows{closed("stg-*")} })
	e.commit("2", nil)
	e.untilVersion("dev", "2")
	e.untilEntry("stg", v1alpha1.ProgressiveSyncProgressing, "window")
	e.untilEntry("p1", v1alpha1.ProgressiveSyncWaiting, "step 2")
	e.untilRolled(isRolling, e.id("stg"))
	e.until("stg", "telling of the window", waitsFor("window"))
	stop()
	e.restart()
	e.halts("1", "stg", "p1", "p2")

	// A commit while the step waits goes through all steps: the first one is not held.
	e.commit("3", nil)
	e.untilVersion("dev", "3")
	e.untilEntry("stg", v1alpha1.ProgressiveSyncProgressing, "window")
	e.halts("1", "stg", "p1", "p2")

	// The window of the step before opens, and that of the next one closes.
	e.amend(p, func(s *v1alpha1.AppProjectSpec) { s.SyncWindows = v1alpha1.SyncWindows{closed("p1-*")} })
	e.untilVersion("stg", "3")
	e.untilEntry("p1", v1alpha1.ProgressiveSyncProgressing, "window")
	e.untilEntry("p2", v1alpha1.ProgressiveSyncWaiting, "maxUpdate")
	e.halts("1", "p1", "p2")
	e.amend(p, func(s *v1alpha1.AppProjectSpec) { s.SyncWindows = nil })
	e.untilRolled(isRolled, "complete")
	e.inOrder("3")
}

func TestRollingSyncGoesBackwards(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.commit("1", nil)
	stop := e.restart()
	set := e.rolled()
	if err := e.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	e.untilRolled(isRolled, "complete")
	// An application that is deleted by hand is made again and goes through its step.
	gone := e.until("stg", "good", good)
	if err := e.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	e.until("stg", "made again", func(app *v1alpha1.Application) bool { return app.UID != gone.UID && good(app) })
	e.untilRolled(isRolled, "complete")

	// The set would take away a finalizer that it does not generate.
	stop()
	e.change("p1", func(app *v1alpha1.Application) { app.Finalizers = append(app.Finalizers, "example.com/hold") })
	if err := e.Delete(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	e.restart()
	e.untilRolled(isRolling, "Step 3 is being deleted")
	embeddedtest.Never(t, time.Second, func(context.Context) error {
		for _, name := range []string{"dev", "stg"} {
			app := &v1alpha1.Application{}
			if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: e.id(name)}, app); err != nil || !app.DeletionTimestamp.IsZero() {
				return nil //nolint:nilerr // it goes, which must not happen
			}
		}
		return errors.New("they are still wanted")
	})
	e.change("p1", func(app *v1alpha1.Application) { app.Finalizers = nil })
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := e.Get(ctx, client.ObjectKeyFromObject(set), &v1alpha1.ApplicationSet{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the set is still there: %w", err)
		}
		return nil
	})
	for _, name := range rolledApps {
		if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: e.id(name)}, &v1alpha1.Application{}); !apierrors.IsNotFound(err) {
			t.Errorf("application %s is still there: %v", name, err)
		}
	}
}
