//go:build e2e

package corpus

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	t.Logf("sets gone after %s", time.Since(begin).Round(100*time.Millisecond))
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

// removeSets lets go of what the sets made: a set that is being deleted makes nothing again.
func (r *run) removeSets(t *testing.T) {
	t.Helper()
	orphan := metav1.DeletePropagationOrphan
	err := r.clients[0].DeleteAllOf(t.Context(), &v1alpha1.ApplicationSet{}, client.InNamespace(control),
		&client.DeleteAllOfOptions{DeleteOptions: client.DeleteOptions{PropagationPolicy: &orphan}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.look(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// removeApps deletes Applications with their objects and waits.
func (r *run) removeApps(t *testing.T, match func(name string) bool) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(8)
	for name := range r.live {
		if match(name) {
			group.Go(func() error { return r.removeApp(t.Context(), name) })
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
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

func (r *run) removeApp(ctx context.Context, name string) error {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: control, Name: name}}
	patch := []byte(`{"metadata":{"finalizers":["` + v1alpha1.FinalizerResources + `"]}}`)
	if err := r.clients[0].Patch(ctx, app, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return err
	}
	return r.clients[0].Delete(ctx, app)
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
