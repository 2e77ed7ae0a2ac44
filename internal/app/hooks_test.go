package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const preSync = "argocd.argoproj.io/hook: PreSync"

func TestTerminateDeletesTheHookThatRuns(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1, "app/hook.yaml": hookJob("before", preSync, neverReady)})
	e.app("app", "app")
	e.until("app", "waiting for the hook", waitsFor("before"))
	job, err := e.job("before")
	if err != nil || len(job.Finalizers) == 0 || job.Finalizers[0] != gitops.FinalizerHook {
		t.Fatalf("a hook that runs is held by its finalizer: %v, %v", job.Finalizers, err)
	}
	e.change("app", func(app *v1alpha1.Application) { app.Status.OperationState.Phase = v1alpha1.OperationTerminating })
	app := e.until("app", "terminated", func(app *v1alpha1.Application) bool {
		return app.Status.OperationState.Phase == v1alpha1.OperationFailed
	})
	if r := app.Status.OperationState.SyncResult.Resources; len(r) != 1 || r[0].HookPhase != v1alpha1.OperationFailed {
		t.Errorf("the hook's result is %+v", r)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		if _, err := e.job("before"); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the hook is still there: %w", errors.Join(err, errors.New("not deleted")))
		}
		return nil
	})
	if _, err := e.configMap("settings"); !apierrors.IsNotFound(err) {
		t.Errorf("a terminated sync went on: %v", err)
	}
}

func TestHookThatIsOverDoesNotRunAgainAfterARestart(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{
		"app/hook.yaml": hookJob("before", preSync, ""), "app/first.yaml": deployment("first", "0", neverReady), "app/second.yaml": waved("second", "1"),
	})
	e.keep() // another cache would make another commit of the folder: another sync
	stop := e.restart()
	e.app("app", "app")
	e.until("app", "waiting for the first wave, with the hook's end on record", func(app *v1alpha1.Application) bool {
		return waitsFor("first")(app) && len(app.Status.OperationState.SyncResult.Resources) == 2
	})
	job, err := e.job("before")
	if err != nil || len(job.Finalizers) != 0 {
		t.Fatalf("a hook that is done is let go: %v, %v", job.Finalizers, err)
	}
	stop()
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: job.Namespace, Name: job.Name}}
	o.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
	if err := e.Delete(t.Context(), o, client.PropagationPolicy("Background")); err != nil {
		t.Fatal(err)
	}
	e.restart()
	e.until("app", "waiting for the first wave again", waitsFor("first"))
	e.looksAt("app")
	if again, err := e.job("before"); err == nil && again.UID != job.UID {
		t.Error("the hook runs again")
	}
	// A newer revision is another sync, and runs it.
	e.write("app/first.yaml", deployment("first", "0", ""))
	e.until("app", "good after the fix", good)
	if _, err := e.job("before"); err != nil {
		t.Errorf("the hook did not run in the next sync: %v", err)
	}
}

// TestGeneratedHook gives each sync a hook of its own, which stays until it is
// done although somebody deletes it.
func TestGeneratedHook(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{
		"app/a.yaml":    version("1"),
		"app/hook.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: gate-, annotations: {" + preSync + "}}, data: {done: 'no'}}",
	})
	e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName}, Data: map[string]string{
		"resource.customizations.readyExpressions.ConfigMap": `!has(object.data.done) || object.data.done == "yes"`,
	}})
	e.restart()
	e.app("app", "app")
	first := e.untilGate()
	if !slices.Contains(first.Finalizers, gitops.FinalizerHook) {
		t.Errorf("a hook that runs has the finalizers %v", first.Finalizers)
	}
	if err := e.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	e.until("app", "still waiting for the hook", waitsFor(first.Name))
	if _, err := e.configMap("settings"); !apierrors.IsNotFound(err) {
		t.Errorf("the sync went on without its hook: %v", err)
	}
	e.edit(first.Name, "test", map[string]string{"done": "yes"})
	app := e.until("app", "good after the hook", good)
	if r := app.Status.OperationState.SyncResult.Resources; !slices.ContainsFunc(r, func(r v1alpha1.ResourceResult) bool {
		return r.Name == first.Name && r.HookPhase == v1alpha1.OperationSucceeded
	}) {
		t.Errorf("the result does not tell of %s: %+v", first.Name, r)
	}
	if len(app.Status.Resources) != 1 {
		t.Errorf("the hook counts as an object of the Application: %+v", app.Status.Resources)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		if _, err := e.configMap(first.Name); !apierrors.IsNotFound(err) {
			return errors.Join(errors.New("the hook that was deleted is still there"), err)
		}
		return nil
	})

	e.write("app/a.yaml", version("2"))
	second := e.untilGate()
	if second.Name == first.Name {
		t.Errorf("two syncs have one hook, %s", first.Name)
	}
	e.edit(second.Name, "test", map[string]string{"done": "yes"})
	e.untilVersion("settings", "2")
	e.until("app", "good again", good)
	if second, err := e.configMap(second.Name); err != nil || len(second.Finalizers) != 0 {
		t.Errorf("a hook that is done stays, and is let go: %v, %v", second.Finalizers, err)
	}
}

// untilGate waits for a sync that waits for its generated hook.
func (e *engine) untilGate() *corev1.ConfigMap {
	e.t.Helper()
	var found *corev1.ConfigMap
	e.until("app", "waiting for its hook", func(app *v1alpha1.Application) bool {
		list := &corev1.ConfigMapList{}
		if err := e.List(e.t.Context(), list, client.InNamespace(e.namespace)); err != nil {
			return false
		}
		for i := range list.Items {
			if cm := &list.Items[i]; cm.Data["done"] == "no" && waitsFor(cm.Name)(app) {
				found = cm
				return true
			}
		}
		return false
	})
	return found
}
