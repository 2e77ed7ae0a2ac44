package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// remove deletes what a deleted Application had in the cluster, in descending
// waves, and then lets the Application go. Without the finalizer the objects
// stay where they are.
func (r *Reconciler) remove(ctx context.Context, app *v1alpha1.Application) error {
	if !cascades(app) {
		return nil
	}
	cluster, err := r.Fleet.Resolve(app.Spec.Destination)
	if isNotFound(err) {
		// Nobody can say what to delete in a cluster that is not described any
		// more; its objects stay. Argo CD does the same.
		r.Log.WarnContext(ctx, "application deleted without its objects: its cluster is not known", "app", app.Name, "error", err)
		return r.release(ctx, app, app.Spec.Destination.Server)
	}
	if err != nil {
		return err
	}
	tracking := gitops.TrackingName(app.Namespace, app.Name, r.Namespace)
	live, err := cluster.Live(ctx, tracking, recordedKinds(app), nil)
	if err != nil {
		return err
	}
	last, left := lastWave(live, tracking)
	if left == 0 {
		return r.release(ctx, app, cluster.Desc().Server)
	}
	failed := map[gitops.Key]error{}
	for _, result := range r.Apply.Wave(ctx, cluster, gitops.Wave{Phase: gitops.Sync, Actions: deletions(last, propagation(app))}) {
		if result.Err != nil {
			failed[result.Key] = result.Err
		}
	}
	return stuck(last, left, failed)
}

func isNotFound(err error) bool {
	var problem *gitops.Problem
	return errors.As(err, &problem) && problem.Kind == gitops.NotFound
}

// release takes the finalizers of cascading deletion off the Application.
func (r *Reconciler) release(_ context.Context, app *v1alpha1.Application, server string) error {
	for _, s := range app.Status.Resources {
		r.Memo.Forget(server, gitops.Key{Group: s.Group, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name})
	}
	app.Finalizers = slices.DeleteFunc(app.Finalizers, func(f string) bool {
		return strings.HasPrefix(f, v1alpha1.FinalizerResources)
	})
	r.forget(client.ObjectKeyFromObject(app))
	return nil
}

func cascades(app *v1alpha1.Application) bool {
	return slices.ContainsFunc(app.Finalizers, func(f string) bool { return strings.HasPrefix(f, v1alpha1.FinalizerResources) })
}

func propagation(app *v1alpha1.Application) string {
	if slices.Contains(app.Finalizers, v1alpha1.FinalizerResourcesBackground) {
		return "background"
	}
	return "foreground"
}

func recordedKinds(app *v1alpha1.Application) []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	for _, s := range app.Status.Resources {
		gvk := schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}
		if !slices.Contains(all, gvk) {
			all = append(all, gvk)
		}
	}
	if app.Status.OperationState != nil && app.Status.OperationState.SyncResult != nil {
		for _, s := range app.Status.OperationState.SyncResult.Resources {
			gvk := schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}
			if !slices.Contains(all, gvk) {
				all = append(all, gvk)
			}
		}
	}
	return all
}

// lastWave returns the objects of the highest wave that are to be deleted,
// and how many objects are left in all waves. Objects that say Delete=false
// and objects that others own are not counted.
func lastWave(live map[gitops.Key]*gitops.Live, tracking string) (last []*gitops.Live, left int) {
	var wave int
	for key, l := range live {
		app, id, ok := gitops.ParseTrackingID(l.Tracking)
		if !ok || app != tracking || id.Name != key.Name || id.Kind != key.Kind || len(l.Owners) > 0 || kept(l) {
			continue
		}
		left++
		switch w := plan.WaveOf(l.Annotations); {
		case len(last) == 0 || w > wave:
			last, wave = []*gitops.Live{l}, w
		case w == wave:
			last = append(last, l)
		}
	}
	slices.SortFunc(last, func(a, b *gitops.Live) int { return cmp.Compare(a.Key.String(), b.Key.String()) })
	return last, left
}

func kept(l *gitops.Live) bool {
	options := v1alpha1.ParseSyncOptions(l.Annotations[gitops.AnnotationSync])
	value, _ := options.Value(v1alpha1.SyncOptionDelete)
	return value == "false" || l.Annotations[v1alpha1.AnnotationHelmResourcePolicy] == "keep"
}

func deletions(objects []*gitops.Live, policy string) []gitops.Action {
	var out []gitops.Action
	for _, l := range objects {
		if l.Deleting {
			continue
		}
		out = append(out, gitops.Action{
			Verb: gitops.Prune, Key: l.Key, Live: l, Options: gitops.Options{PrunePolicy: policy}, Reason: "the application is being deleted",
		})
	}
	return out
}

// stuck tells what the deletion waits for, by name, so that a person can find
// out why.
func stuck(last []*gitops.Live, left int, failed map[gitops.Key]error) error {
	for _, l := range last {
		if err := failed[l.Key]; err != nil {
			return fmt.Errorf("cannot delete %s: %w", l.Key, err)
		}
	}
	waiting := last[0]
	problem := gitops.Problemf(gitops.NotReady, "waiting for the deletion of %s (%d objects left)", waiting.Key, left)
	if waiting.Deleting && len(waiting.Finalizers) > 0 {
		return problem.Do("its finalizer " + waiting.Finalizers[0] + " holds it: see that its controller runs")
	}
	return problem
}
