package application

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// taken finds, of objects of an Application in a cluster, those that another
// Application has in its own sources, whose project permits them there; with
// its name. What another one only claims to have is not its own.
func (r *Reconciler) taken(ctx context.Context, uid types.UID, cluster Cluster, keys []gitops.Key) map[gitops.Key]string {
	wanted, out := make(map[gitops.Key]bool, len(keys)), map[gitops.Key]string{}
	for _, k := range keys {
		wanted[k] = true
	}
	server := cluster.Desc().Server
	for _, app := range r.Apps.All() {
		if app.UID == uid || !app.DeletionTimestamp.IsZero() || !r.leadsTo(app, server) {
			continue
		}
		var rules *policy.Question
		for i := range app.Status.Resources {
			k, own := ownKey(&app.Status.Resources[i])
			if !own || !wanted[k] {
				continue
			}
			if rules == nil {
				if rules = r.rulesOf(ctx, app, cluster); rules == nil {
					break
				}
			}
			if policy.Live(rules.Project, k, rules.Target, rules.Clusters) == nil {
				out[k] = app.Name
			}
		}
	}
	return out
}

// ownKey is an object that a status names as one of the sources.
func ownKey(s *v1alpha1.ResourceStatus) (gitops.Key, bool) {
	return gitops.Key{Group: s.Group, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}, !s.RequiresPruning && !s.Hook
}

// ownKeys are the objects that the status of an Application names as those of
// its sources.
func ownKeys(app *v1alpha1.Application) []gitops.Key {
	out := make([]gitops.Key, 0, len(app.Status.Resources))
	for i := range app.Status.Resources {
		if k, own := ownKey(&app.Status.Resources[i]); own {
			out = append(out, k)
		}
	}
	return out
}

// rulesOf is what the project of an Application says of it; nil when it does
// not permit the Application at all.
func (r *Reconciler) rulesOf(ctx context.Context, app *v1alpha1.Application, cluster Cluster) *policy.Question {
	project, err := r.Projects.Project(ctx, app.Spec.GetProject())
	if err != nil {
		return nil
	}
	q := &policy.Question{
		Project: project, App: app, Target: placeOf(cluster, app), ControlNamespace: r.Namespace, Clusters: r.Fleet.OfProject(project.Name),
	}
	if policy.Application(*q) != nil {
		return nil
	}
	return q
}

func (r *Reconciler) leadsTo(app *v1alpha1.Application, server string) bool {
	c, err := r.Fleet.Resolve(app.Spec.Destination)
	return err == nil && c.Desc().Server == server
}

// letsGo reports whether no Application has a tracking name, or the one that
// does has taken an object out of its sources. What a hook of it left is in none
// of them, and stays its own.
func (r *Reconciler) letsGo(ctx context.Context, tracking string, k gitops.Key) bool {
	if r.gone(tracking) {
		return true
	}
	namespace, name := gitops.SplitTrackingName(tracking, r.Namespace)
	app, err := r.Apps.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name})
	return err == nil && slices.ContainsFunc(app.Status.Resources, func(s v1alpha1.ResourceStatus) bool {
		its, _ := ownKey(&s)
		return its == k && s.RequiresPruning && !s.Hook
	})
}
