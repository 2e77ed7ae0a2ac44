package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/await"
)

// vanish deletes an object and waits until it is there again.
func (e *engine) vanish(o client.Object) {
	e.t.Helper()
	o.SetNamespace(e.namespace)
	name := client.ObjectKeyFromObject(o)
	if err := e.Get(e.t.Context(), name, o); err != nil {
		e.t.Fatal(err)
	}
	was := o.GetUID()
	if err := e.Delete(e.t.Context(), o, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		e.t.Fatal(err)
	}
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		err := e.Get(ctx, name, o)
		if err == nil && o.GetUID() == was {
			err = errors.New("not deleted yet")
		}
		return err
	})
}

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

// TestObjectsThatVanishDuringTheirSync deletes objects while their wave waits
// for another one: what the sync made, what it found as it should be, and
// what it waits for.
func TestObjectsThatVanishDuringTheirSync(t *testing.T) {
	e := start(t, map[string]string{
		"app/kept.yaml": waved("kept", "0"), "app/first.yaml": deployment("first", "0", neverReady), "app/second.yaml": waved("second", "1"),
	})
	e.app("app", "app", noSelfHeal)
	began := e.until("app", "waiting for the first wave", waitsFor("first")).Status.OperationState.StartedAt
	e.vanish(&corev1.ConfigMap{ObjectMeta: named("kept")})
	e.vanish(&appsv1.Deployment{ObjectMeta: named("first")})
	app := e.until("app", "waiting for the first wave again", waitsFor("first"))
	if at := app.Status.OperationState.StartedAt; !at.Equal(&began) {
		t.Errorf("the objects came back by another operation, of %s instead of %s", at, began)
	}
	if _, err := e.configMap("second"); err == nil {
		t.Error("the second wave ran before the first one was healthy")
	}

	// The next sync finds one of them as it should be.
	e.write("app/first.yaml", strings.ReplaceAll(deployment("first", "0", neverReady), "replicas: 1", "replicas: 2"))
	began = e.until("app", "waiting in the next sync", func(app *v1alpha1.Application) bool {
		return waitsFor("first")(app) && !app.Status.OperationState.StartedAt.Equal(&began)
	}).Status.OperationState.StartedAt
	e.vanish(&corev1.ConfigMap{ObjectMeta: named("kept")})
	e.write("app/first.yaml", deployment("first", "0", ""))
	app = e.until("app", "good after the fix", good)
	if len(app.Status.OperationState.SyncResult.Resources) != 3 {
		t.Errorf("the sync's result is %+v", app.Status.OperationState.SyncResult.Resources)
	}
}

// TestObjectThatVanishesBeforeItsAnswer deletes an object after the API server
// has made it and before the engine reads the answer: the watch has then told
// of the end of an object that the engine learns of later.
func TestObjectThatVanishesBeforeItsAnswer(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{
		"app/gone.yaml": waved("gone", "0"), "app/first.yaml": deployment("first", "0", slow), "app/second.yaml": waved("second", "1"),
	})
	var applied atomic.Int32
	e.adjust = func(c *Config) {
		c.Hub = rest.CopyConfig(c.Hub)
		c.Hub.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return heldBack{next, func(r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/configmaps/gone") || r.Method != http.MethodPatch || r.URL.Query().Has("dryRun") || applied.Add(1) > 1 {
					return
				}
				if err := e.untilTheWatchKnows("gone"); err != nil {
					t.Error(err)
				}
			}}
		})
	}
	e.restart()
	e.app("app", "app", noSelfHeal)
	app := e.until("app", "good", good)
	if _, err := e.configMap("gone"); err != nil {
		t.Errorf("the sync of %s ended without its object: %v", app.Status.OperationState.StartedAt, err)
	}
	if n := applied.Load(); n != 2 {
		t.Errorf("the object was applied %d times, want 2: once it was deleted", n)
	}
	if len(app.Status.History) != 1 {
		t.Errorf("%d syncs, want 1", len(app.Status.History))
	}
}

// heldBack calls a function with each request once it is answered, and hands
// out the answer after that.
type heldBack struct {
	next  http.RoundTripper
	after func(*http.Request)
}

func (h heldBack) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := h.next.RoundTrip(r)
	if err == nil {
		h.after(r)
	}
	return answer, err
}

// untilTheWatchKnows deletes a ConfigMap and returns when the engine's watch
// has passed that: it shows an object of nobody's that was made afterwards.
func (e *engine) untilTheWatchKnows(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), await.Limit)
	defer cancel()
	if err := e.Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: name}}); err != nil {
		return err
	}
	tracking := "nobody-" + e.namespace
	later := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: e.namespace, Name: "later",
		Annotations: map[string]string{gitops.AnnotationTracking: fmt.Sprintf("%s:/ConfigMap:%s/later", tracking, e.namespace)},
	}}
	if err := e.Create(ctx, later); err != nil {
		return err
	}
	cluster, err := e.fleet.Resolve(v1alpha1.ApplicationDestination{Server: gitops.HubServer})
	for err == nil {
		live, err := cluster.Live(ctx, tracking, nil, nil)
		if err != nil || len(live) > 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return err
}

// TestAtomicSyncMakesWhatVanishes deletes an object of the only wave of an
// atomic sync: it comes back in its time, and nothing is rolled back.
func TestAtomicSyncMakesWhatVanishes(t *testing.T) {
	e := start(t, map[string]string{"app/kept.yaml": configMapV1, "app/first.yaml": deployment("first", "0", "")})
	e.app("app", "app", atomicApp("5m"), noSelfHeal)
	e.until("app", "good", good)
	e.write("app/first.yaml", strings.ReplaceAll(deployment("first", "0", neverReady), "replicas: 1", "replicas: 2"))
	began := e.until("app", "waiting for the new replica", waitsFor("first")).Status.OperationState.StartedAt
	e.vanish(&corev1.ConfigMap{ObjectMeta: named("settings")})
	app := e.until("app", "still waiting", waitsFor("first"))
	if !app.Status.OperationState.StartedAt.Equal(&began) {
		t.Errorf("another operation began: %+v", app.Status.OperationState)
	}
}

// TestHookThatVanishes takes a hook that runs away by force: its sync fails
// and says so, and the hook runs again with the retry only.
func TestHookThatVanishes(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1, "app/hook.yaml": hookJob("before", preSync, neverReady)})
	e.app("app", "app", noRetry)
	e.until("app", "waiting for the hook", waitsFor("before"))
	job := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "before"}}
	job.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
	if err := e.Delete(t.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatal(err)
	}
	if err := e.Patch(t.Context(), job, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
		t.Fatal(err)
	}
	app := e.until("app", "failed", func(app *v1alpha1.Application) bool {
		return app.Status.OperationState.Phase == v1alpha1.OperationFailed
	})
	if text := app.Status.OperationState.Message; !strings.Contains(text, "before") || !strings.Contains(text, "deleted before it was done") {
		t.Errorf("the message does not tell why: %s", text)
	}
	if _, err := e.configMap("settings"); err == nil {
		t.Error("the sync went on without its hook")
	}
}
