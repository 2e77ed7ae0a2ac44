//go:build e2e

package corpus

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// remove takes everything away through the engine. Most sets keep what they made; so the sets go first and leave their
// Applications, which then go with their objects, those last that others came from.
func (r *run) remove(t *testing.T) {
	t.Helper()
	begin := time.Now()
	r.removeSets(t)
	roots := map[string]bool{}
	for name, app := range r.live {
		for _, res := range app.Status.Resources {
			if res.Group == v1alpha1.Group {
				roots[name] = true
			}
		}
	}
	r.removeApps(t, func(name string) bool { return !roots[name] })
	r.removeApps(t, func(string) bool { return true })
	r.checkGone(t)
	for _, s := range r.given {
		if err := r.clients[0].Delete(t.Context(), s.DeepCopy()); err != nil {
			t.Error(err)
		}
	}
	t.Logf("removed in %s", time.Since(begin).Round(100*time.Millisecond))
}

func (r *run) removeSets(t *testing.T) {
	t.Helper()
	orphan := metav1.DeletePropagationOrphan
	err := r.clients[0].DeleteAllOf(t.Context(), &v1alpha1.ApplicationSet{}, client.InNamespace(control),
		&client.DeleteAllOfOptions{DeleteOptions: client.DeleteOptions{PropagationPolicy: &orphan}})
	if err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, goneWithin, func(ctx context.Context) error {
		var sets v1alpha1.ApplicationSetList
		if err := r.hub.List(ctx, &sets); err != nil {
			return err
		}
		if len(sets.Items) > 0 {
			return fmt.Errorf("%d sets are still there", len(sets.Items))
		}
		return nil
	})
	if err := r.look(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// removeApps deletes Applications with their objects and waits.
func (r *run) removeApps(t *testing.T, match func(name string) bool) {
	t.Helper()
	for name := range r.live {
		if !match(name) {
			continue
		}
		app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: control, Name: name}}
		if err := r.clients[0].Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
			t.Fatal(err)
		}
		before := app.DeepCopy()
		if controllerutil.AddFinalizer(app, v1alpha1.FinalizerResources) {
			if err := r.clients[0].Patch(t.Context(), app, client.MergeFrom(before)); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.clients[0].Delete(t.Context(), app); err != nil {
			t.Fatal(err)
		}
	}
	embeddedtest.Eventually(t, goneWithin, func(ctx context.Context) error {
		if err := r.look(ctx); err != nil {
			return err
		}
		for name, app := range r.live {
			if match(name) {
				return fmt.Errorf("%d applications are still there, %s among them: %s", len(r.live), name, told(app))
			}
		}
		return nil
	})
}

// checkGone sees to it that no object of an Application is left.
func (r *run) checkGone(t *testing.T) {
	t.Helper()
	for at, cm := range r.configMaps(t) {
		if cm.Annotations[v1alpha1.AnnotationTrackingID] != "" {
			t.Errorf("%v is left of %s", at, cm.Annotations[v1alpha1.AnnotationTrackingID])
		}
	}
	var secrets corev1.SecretList
	if err := r.clients[0].List(t.Context(), &secrets, client.InNamespace(control)); err != nil {
		t.Error(err)
	}
	if len(secrets.Items) != members {
		t.Errorf("%d Secrets are left in the hub, want those of the %d clusters of %s", len(secrets.Items), members, gitops.HubName)
	}
}
