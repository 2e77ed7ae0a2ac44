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
	roots := map[string]bool{}
	for name, app := range r.live {
		roots[name] = isRoot(app)
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

// removeSets lets go of what the sets made: first of what was applied by hand, so that what it made can be told not to
// make the other sets again.
func (r *run) removeSets(t *testing.T) {
	t.Helper()
	byHand := map[string]bool{}
	for _, m := range r.manifests {
		byHand[m.Object.GetName()] = true
	}
	r.orphan(t, func(set string) bool { return byHand[set] })
	embeddedtest.Eventually(t, r.stopRoots)
	r.orphan(t, func(string) bool { return true })
	if err := r.look(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// orphan deletes sets, and leaves their Applications. A set that is being deleted makes nothing again.
func (r *run) orphan(t *testing.T, match func(set string) bool) {
	t.Helper()
	var sets v1alpha1.ApplicationSetList
	if err := r.clients[0].List(t.Context(), &sets, client.InNamespace(control)); err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	group.SetLimit(8)
	for i := range sets.Items {
		if set := &sets.Items[i]; match(set.Name) {
			group.Go(func() error {
				return client.IgnoreNotFound(r.clients[0].Delete(t.Context(), set, client.PropagationPolicy(metav1.DeletePropagationOrphan)))
			})
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// stopRoots takes automation off the Applications that have no set any more.
func (r *run) stopRoots(ctx context.Context) error {
	if err := r.look(ctx); err != nil {
		return err
	}
	for _, app := range r.live {
		if !isRoot(app) || app.Spec.SyncPolicy == nil {
			continue
		}
		if len(app.OwnerReferences) > 0 {
			return fmt.Errorf("%s is still owned by a set", app.Name)
		}
		patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"syncPolicy":null}}`))
		target := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: control, Name: app.Name}}
		if err := r.clients[0].Patch(ctx, target, patch); err != nil {
			return err
		}
	}
	return nil
}

// isRoot reports whether an Application has sets or Applications among its objects.
func isRoot(app *v1alpha1.Application) bool {
	for _, res := range app.Status.Resources {
		if res.Group == v1alpha1.Group && (res.Kind == "ApplicationSet" || res.Kind == "Application") {
			return true
		}
	}
	return false
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
	embeddedtest.Eventually(t, func(ctx context.Context) error {
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
