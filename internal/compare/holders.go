package compare

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// Taken finds, of objects of an Application in a cluster, those that another
// Application has in its own sources, whose project permits them there; with
// its name. What another one only claims to have is not its own.
func (c *Comparer[C]) Taken(ctx context.Context, uid types.UID, cluster C, keys []gitops.Key) (map[gitops.Key]string, error) {
	wanted, out := make(map[gitops.Key]bool, len(keys)), map[gitops.Key]string{}
	for _, k := range keys {
		wanted[k] = true
	}
	all, err := c.Apps.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot tell what other applications have: %w", err)
	}
	server := cluster.Desc().Server
	for _, app := range all {
		if app.UID == uid || !app.DeletionTimestamp.IsZero() || !c.leadsTo(app, server) {
			continue
		}
		its, err := c.permittedOf(ctx, app, cluster, wanted)
		if err != nil {
			return nil, fmt.Errorf("cannot tell what other applications have: %w", err)
		}
		for _, k := range its {
			out[k] = app.Name
		}
	}
	return out, nil
}

// permittedOf are the wanted objects that the status of an Application names as those
// of its sources, and that its project permits in a cluster.
func (c *Comparer[C]) permittedOf(ctx context.Context, app *v1alpha1.Application, cluster C, wanted map[gitops.Key]bool) ([]gitops.Key, error) {
	var its []gitops.Key
	for i := range app.Status.Resources {
		if k, own := OwnKey(&app.Status.Resources[i]); own && wanted[k] {
			its = append(its, k)
		}
	}
	if len(its) == 0 {
		return nil, nil
	}
	rules, err := c.rulesOf(ctx, app, cluster)
	if rules == nil {
		return nil, err
	}
	return slices.DeleteFunc(its, func(k gitops.Key) bool {
		return policy.Live(rules.Project, k, rules.Target, rules.Clusters) != nil
	}), nil
}

// OwnKey is an object that a status names as one of the sources.
func OwnKey(s *v1alpha1.ResourceStatus) (gitops.Key, bool) {
	return gitops.Key{Group: s.Group, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}, !s.RequiresPruning && !s.Hook
}

// OwnKeys are the objects that the status of an Application names as those of
// its sources.
func OwnKeys(app *v1alpha1.Application) []gitops.Key {
	out := make([]gitops.Key, 0, len(app.Status.Resources))
	for i := range app.Status.Resources {
		if k, own := OwnKey(&app.Status.Resources[i]); own {
			out = append(out, k)
		}
	}
	return out
}

// RulesOf is what the project of an Application says of it; nil when it does
// not permit the Application at all, or cannot be read.
func (c *Comparer[C]) RulesOf(ctx context.Context, app *v1alpha1.Application, cluster C) *policy.Question {
	rules, _ := c.rulesOf(ctx, app, cluster)
	return rules
}

// rulesOf is RulesOf, with why the project cannot be read where there is one: what it
// permits nobody knows then, and what it may have permitted is not another's.
func (c *Comparer[C]) rulesOf(ctx context.Context, app *v1alpha1.Application, cluster C) (*policy.Question, error) {
	project, err := c.Projects.Project(ctx, app.Spec.GetProject())
	if err != nil {
		return nil, unknown(err)
	}
	q := &policy.Question{
		Project: project, App: app, Target: PlaceOf(cluster, app), ControlNamespace: c.Namespace, Clusters: c.Fleet.OfProject(project.Name),
	}
	if policy.Application(*q) != nil {
		return nil, nil //nolint:nilerr // that is what the project says
	}
	return q, nil
}

// unknown is why nobody knows what a project permits: one that is not there permits nothing.
func unknown(err error) error {
	if gitops.IsProblem(err, gitops.NotFound) {
		return nil
	}
	return err
}

func (c *Comparer[C]) leadsTo(app *v1alpha1.Application, server string) bool {
	found, err := c.Fleet.Resolve(app.Spec.Destination)
	return err == nil && found.Desc().Server == server
}

// LetsGo reports whether no Application has a tracking name, or the one that
// does has taken an object out of its sources. What a hook of it left is in none
// of them, and stays its own.
func (c *Comparer[C]) LetsGo(ctx context.Context, tracking string, k gitops.Key) bool {
	if c.Gone(ctx, tracking) {
		return true
	}
	namespace, name := gitops.SplitTrackingName(tracking, c.Namespace)
	app, err := c.Apps.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name})
	return err == nil && slices.ContainsFunc(app.Status.Resources, func(s v1alpha1.ResourceStatus) bool {
		its, _ := OwnKey(&s)
		return its == k && s.RequiresPruning && !s.Hook
	})
}

// Gone reports whether no Application has a tracking name.
func (c *Comparer[C]) Gone(ctx context.Context, tracking string) bool {
	namespace, name := gitops.SplitTrackingName(tracking, c.Namespace)
	return !c.Apps.Has(ctx, types.NamespacedName{Namespace: namespace, Name: name})
}
