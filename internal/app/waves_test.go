package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// deployment is one replica in a sync wave; simulate is an annotation of the
// simulated kubelet, such as never-ready: "true".
func deployment(name, wave, simulate string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: %[1]s
  annotations: {argocd.argoproj.io/sync-wave: "%[2]s"}
spec:
  replicas: 1
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata:
      labels: {app: %[1]s}
      annotations: {%[3]s}
    spec: {containers: [{name: main, image: registry.example.com/%[1]s}]}
`, name, wave, simulate)
}

func waved(name, wave string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  annotations: {argocd.argoproj.io/sync-wave: \"%s\"}\ndata: {version: \"1\"}\n", name, wave)
}

const (
	neverReady = `kube.causeway.io/never-ready: "true"`
	slow       = `kube.causeway.io/ready-after: "2s"`
	failing    = `kube.causeway.io/fail: "true"`
)

// waitsFor reports whether the operation runs and names what holds it back.
func waitsFor(name string) func(*v1alpha1.Application) bool {
	return func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return st != nil && st.Phase == v1alpha1.OperationRunning && strings.Contains(st.Message, name)
	}
}

func TestWaveWaitsForHealthAndGoesOnAfterAFix(t *testing.T) {
	e := start(t, map[string]string{"app/first.yaml": deployment("first", "0", neverReady), "app/second.yaml": waved("second", "1")})
	e.app("app", "app")
	e.until("app", "waiting for the first wave", waitsFor("first"))
	e.stays("second", "app")
	e.write("app/first.yaml", deployment("first", "0", slow))
	app := e.until("app", "good after the fix", good)
	if len(app.Status.OperationState.SyncResult.Resources) != 2 {
		t.Errorf("the sync's result has %d objects, want 2", len(app.Status.OperationState.SyncResult.Resources))
	}
}

// childApp is an Application in a manifest, as an app-of-apps brings it.
func (e *engine) childApp(name, path, wave string) string {
	return fmt.Sprintf(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: %s
  namespace: %s
  annotations: {argocd.argoproj.io/sync-wave: "%s"}
  finalizers: [resources-finalizer.argocd.argoproj.io]
spec:
  project: default
  source: {repoURL: %s, path: %s, targetRevision: HEAD}
  destination: {name: in-cluster, namespace: %s}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
`, e.id(name), e.namespace, wave, repoURL, path, e.namespace)
}

func TestAppOfAppsWaitsForItsChildren(t *testing.T) {
	e := start(t, map[string]string{"one/a.yaml": deployment("one", "0", slow), "two/a.yaml": waved("two", "0")})
	e.write("root/one.yaml", e.childApp("one", "one", "0"))
	e.write("root/two.yaml", e.childApp("two", "two", "1"))
	e.app("root", "root")
	e.until("root", "waiting for the first child", waitsFor(e.id("one")))
	e.until("root", "good", good)
	one := e.until("one", "good", good)
	two := e.until("two", "good", good)
	if two.CreationTimestamp.Time.Before(one.Status.Health.LastTransitionTime.Time) {
		t.Errorf("the second child was created at %s, before the first one was healthy at %s", two.CreationTimestamp, one.Status.Health.LastTransitionTime)
	}
	root := e.until("root", "good", good)
	if !root.Status.Summary.IsAppOfApps {
		t.Error("the root is not shown as an app-of-apps")
	}
	// A child that is taken out of Git goes with all it has.
	e.remove("root/two.yaml")
	embeddedtest.Eventually(t, func(context.Context) error {
		if _, err := e.configMap("two"); err == nil {
			return errors.New("the pruned child's object is still there")
		}
		return nil
	})
}

// A sync whose change is taken back goes on with what is in Git, and a commit
// that mends a child ends its wait although it changes nothing of the parent.
func TestAppOfAppsGoesOnAfterItsChangeIsTakenBack(t *testing.T) {
	e := start(t, map[string]string{"one/a.yaml": deployment("one", "0", ""), "two/a.yaml": waved("two", "0")})
	e.write("root/one.yaml", e.childApp("one", "one", "0"))
	e.write("root/two.yaml", e.childApp("two", "two", "1"))
	e.app("root", "root")
	e.until("root", "good", good)
	e.write("one/a.yaml", deployment("one", "0", neverReady))
	e.until("one", "ill", func(app *v1alpha1.Application) bool {
		return app.Status.Health.Status == v1alpha1.HealthStatusProgressing
	})
	e.write("root/two.yaml", e.childApp("two", "elsewhere", "1"))
	e.until("root", "waiting for the first child with the change", func(app *v1alpha1.Application) bool {
		return waitsFor(e.id("one"))(app) && app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	e.write("root/two.yaml", e.childApp("two", "two", "1"))
	e.until("root", "waiting for the first child without the change", func(app *v1alpha1.Application) bool {
		return waitsFor(e.id("one"))(app) && app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced
	})
	e.write("one/a.yaml", deployment("one", "0", slow))
	e.until("root", "good after the fix", good)
}

func TestDefinitionAndItsObjectInOneSync(t *testing.T) {
	e := start(t, nil)
	group := e.namespace + ".example.com"
	e.write("app/object.yaml", fmt.Sprintf("apiVersion: %s/v1\nkind: Gadget\nmetadata: {name: mine}\nspec: {size: 3}\n", group))
	e.app("app", "app")
	// The definition is not there yet: the application says so, and waits.
	e.until("app", "waiting for the kind", waitsFor("Gadget"))
	e.write("app/definition.yaml", fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets, singular: gadget, listKind: GadgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`, group))
	e.until("app", "good", good)
}

func TestTwoApplicationsThatOwnOneObject(t *testing.T) {
	e := start(t, map[string]string{"a/cm.yaml": configMapV1, "b/cm.yaml": strings.ReplaceAll(configMapV1, `"1"`, `"2"`)})
	e.app("a", "a", noSelfHeal)
	e.until("a", "good", good)
	e.app("b", "b", noSelfHeal)
	shared := func(app *v1alpha1.Application) bool {
		return condition(app, v1alpha1.ApplicationConditionSharedResourceWarning) != ""
	}
	for _, name := range []string{"a", "b"} {
		app := e.until(name, "showing that the object is shared", func(app *v1alpha1.Application) bool { return name == "b" || shared(app) })
		text := condition(app, v1alpha1.ApplicationConditionSharedResourceWarning)
		if name == "a" && (!strings.Contains(text, e.id("a")) || !strings.Contains(text, e.id("b"))) {
			t.Errorf("the condition does not name both applications: %s", text)
		}
	}
	e.remove("b/cm.yaml")
	e.write("b/other.yaml", strings.ReplaceAll(configMapV1, "settings", "other"))
	e.until("a", "alone with its object again", func(app *v1alpha1.Application) bool { return !shared(app) })
}

// A sync of another application, a person, or a controller may make or take
// away an object that an application desires and does not have.
func TestWhoDesiresAnObjectOfAnotherIsToldOfIt(t *testing.T) {
	e := start(t, map[string]string{"a/cm.yaml": configMapV1, "b/cm.yaml": configMapV1})
	e.app("a", "a", func(app *v1alpha1.Application) { app.Spec.SyncPolicy = nil })
	seen := func(health string, shared bool) func(*v1alpha1.Application) bool {
		return func(app *v1alpha1.Application) bool {
			if len(app.Status.Resources) != 1 || shared != (condition(app, v1alpha1.ApplicationConditionSharedResourceWarning) != "") {
				return false
			}
			h := app.Status.Resources[0].Health
			return health == "" && h == nil || h != nil && string(h.Status) == health
		}
	}
	e.until("a", "without its object", seen("Missing", false))
	e.app("b", "b", noSelfHeal)
	e.until("a", "seeing what b made", seen("", true))
	cm, err := e.configMap("settings")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Delete(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	e.until("a", "without the object of b", seen("Missing", false))
	cm.ResourceVersion, cm.UID, cm.Annotations = "", "", nil
	if err := e.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	e.until("a", "seeing what a person made", seen("", false))
}

func noSelfHeal(app *v1alpha1.Application) {
	no := false
	app.Spec.SyncPolicy.Automated.SelfHeal = &no
}

func TestDryRunAndItsLikes(t *testing.T) {
	broken := "{apiVersion: v1, kind: Service, metadata: {name: broken}, spec: {ports: [{port: 700000}]}}"
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	e.app("app", "app", func(app *v1alpha1.Application) { app.Spec.SyncPolicy = nil })
	ask := func(sync *v1alpha1.SyncOperation) {
		e.change("app", func(app *v1alpha1.Application) {
			app.Operation = &v1alpha1.Operation{Sync: sync, InitiatedBy: v1alpha1.OperationInitiator{Username: "admin"}}
		})
	}
	ended := func(phase v1alpha1.OperationPhase, text string) func(*v1alpha1.Application) bool {
		return func(app *v1alpha1.Application) bool {
			st := app.Status.OperationState
			return app.Operation == nil && st != nil && st.Phase == phase && strings.Contains(st.Message, text)
		}
	}
	ask(&v1alpha1.SyncOperation{DryRun: true})
	app := e.until("app", "tried", ended(v1alpha1.OperationSucceeded, "nothing was changed"))
	if r := app.Status.OperationState.SyncResult.Resources; len(r) != 1 || r[0].Message != "created (dry run)" {
		t.Errorf("the dry run does not tell what it would do: %+v", r)
	}
	if len(app.Status.History) != 0 {
		t.Errorf("a dry run stands in the history: %+v", app.Status.History)
	}
	e.write("app/b.yaml", broken)
	e.until("app", "compared with both objects", func(app *v1alpha1.Application) bool { return len(app.Status.Resources) == 2 })
	ask(&v1alpha1.SyncOperation{DryRun: true})
	e.until("app", "told what the API server would reject", ended(v1alpha1.OperationFailed, "1 of 2 objects"))
	ask(&v1alpha1.SyncOperation{Manifests: []string{configMapV1}, DryRun: true})
	e.until("app", "tried with other manifests", ended(v1alpha1.OperationSucceeded, "nothing was changed"))
	if _, err := e.configMap("settings"); !apierrors.IsNotFound(err) {
		t.Errorf("a dry run made the object: %v", err)
	}
	e.remove("app/b.yaml")
	// An automated sync tries a revision that was only rehearsed.
	e.change("app", func(app *v1alpha1.Application) {
		app.Spec.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{}}
	})
	e.until("app", "synced for good", good)
}

func TestManualSyncPruneAndEmpty(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1, "app/b.yaml": strings.ReplaceAll(configMapV1, "settings", "second")})
	e.app("app", "app", func(app *v1alpha1.Application) { app.Spec.SyncPolicy = nil })
	outOfSync := func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	}
	e.until("app", "OutOfSync", outOfSync)
	if _, err := e.configMap("settings"); err == nil {
		t.Error("an application without an automated policy was synced by itself")
	}
	ask := func(prune bool) {
		e.change("app", func(app *v1alpha1.Application) {
			app.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: prune}, InitiatedBy: v1alpha1.OperationInitiator{Username: "admin"}}
		})
	}
	ask(false)
	app := e.until("app", "synced on request", good)
	if app.Operation != nil {
		t.Error("the request is still there after it was carried out")
	}
	e.remove("app/b.yaml")
	e.until("app", "OutOfSync with an object to prune", func(app *v1alpha1.Application) bool {
		return outOfSync(app) && len(app.Status.Resources) == 2 && app.Status.Resources[0].RequiresPruning
	})
	ask(true)
	e.until("app", "pruned on request", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.Resources) == 1 })

	// An automated sync never deletes everything.
	yes := true
	e.change("app", func(app *v1alpha1.Application) {
		app.Spec.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{Prune: &yes}, Retry: &v1alpha1.RetryStrategy{Limit: 0}}
	})
	e.write("app/a.yaml", "# nothing left\n")
	e.until("app", "refusing to delete everything", func(app *v1alpha1.Application) bool {
		return strings.Contains(condition(app, v1alpha1.ApplicationConditionSyncError), "allowEmpty")
	})
	if _, err := e.configMap("settings"); err != nil {
		t.Errorf("the last object was deleted: %v", err)
	}
	e.change("app", func(app *v1alpha1.Application) { app.Spec.SyncPolicy.Automated.AllowEmpty = &yes })
	e.write("app/a.yaml", "# still nothing\n")
	embeddedtest.Eventually(t, func(context.Context) error {
		if _, err := e.configMap("settings"); err == nil {
			return errors.New("it is still there")
		}
		return nil
	})
}

func TestDegradedWaveFailsAndIsTriedAgain(t *testing.T) {
	e := start(t, map[string]string{"app/job.yaml": job(failing), "app/second.yaml": waved("second", "1")})
	e.app("app", "app", noRetry)
	e.until("app", "failed", func(app *v1alpha1.Application) bool {
		return strings.Contains(condition(app, v1alpha1.ApplicationConditionSyncError), "Job")
	})
	if _, err := e.configMap("second"); err == nil {
		t.Error("the second wave ran after the first had failed")
	}
}

func job(simulate string) string {
	return fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {%s}}
    spec: {restartPolicy: Never, containers: [{name: main, image: registry.example.com/migrate}]}
`, simulate)
}

// uid of a Deployment, to see that it was not made again.
func (e *engine) uid(name string) types.UID {
	e.t.Helper()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: name}}
	if err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, d); err != nil {
		e.t.Fatal(err)
	}
	return d.UID
}
