package compare

import (
	"context"
	"errors"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// Subject is an Application that its project admits, with all that its spec names.
type Subject[C Cluster] struct {
	App      *v1alpha1.Application
	Project  *v1alpha1.AppProject
	Cluster  C
	Tracking string
	// Scoped are the clusters that belong to the project.
	Scoped []gitops.Cluster
	// Sources and Options are the spec's, or those of an operation that has its own.
	Sources v1alpha1.ApplicationSources
	Options v1alpha1.SyncOptions
	// Named are the sources that an operation names; nil where it renders the spec's
	// own, at whichever revisions Sources have.
	Named v1alpha1.ApplicationSources
	// Commits have one entry a source; nil where it has none.
	Commits []*gitops.Commit
	// Revisions have one entry a source, as far as they were fetched.
	Revisions []string
}

// Complete checks that a spec has sources, and that each names something to read.
func Complete(sources v1alpha1.ApplicationSources) error {
	if len(sources) == 0 {
		return gitops.Problemf(gitops.Invalid, "cannot use the spec: it has no source").Do("set spec.source or spec.sources")
	}
	for i, s := range sources {
		if s.RepoURL == "" || (s.Path == "" && s.Chart == "" && s.Ref == "" && !s.IsOCI()) {
			return gitops.Problemf(gitops.Invalid, "cannot use source %d: it needs repoURL, and one of path, chart and ref", i+1).
				Do("for the root of a repository write path: .")
		}
	}
	return nil
}

// Admit decides whether anything is read for an Application: where it lives, its
// sources and its destination are what its project permits. Who may write it may
// name in it what they like, and repositories and clusters are read with the
// engine's rights. The error has the words of the Application's condition.
func (c *Comparer[C]) Admit(project *v1alpha1.AppProject, app *v1alpha1.Application) (*Subject[C], error) {
	if err := policy.Origins(policy.Question{Project: project, App: app, ControlNamespace: c.Namespace}); err != nil {
		return nil, err
	}
	cluster, err := c.Destination(project, app.Spec.Destination)
	if err != nil {
		return nil, c.hinted(err, project, app)
	}
	return &Subject[C]{
		App: app, Project: project, Cluster: cluster, Sources: app.Spec.GetSources(),
		Options:  app.Spec.SyncPolicy.Options(),
		Tracking: gitops.TrackingName(app.Namespace, app.Name, c.Namespace),
		Scoped:   c.Fleet.OfProject(project.Name),
	}, nil
}

// Destination is the cluster of a destination, if a project permits it. The error is
// the same where it does not and where there is none: who wrote the destination
// reads it, so the project is asked first.
func (c *Comparer[C]) Destination(project *v1alpha1.AppProject, d v1alpha1.ApplicationDestination) (C, error) {
	found, meant, unknown := c.Resolve(d)
	if err := policy.Leads(project, d, meant, c.Fleet.OfProject(project.Name)); err != nil {
		unknown = err
	}
	return found, unknown
}

// Resolve finds the cluster of a destination, and all that it may mean.
func (c *Comparer[C]) Resolve(d v1alpha1.ApplicationDestination) (found C, meant []gitops.Cluster, unknown error) {
	if found, unknown = c.Fleet.Resolve(d); unknown != nil {
		return found, c.Fleet.Meant(d), unknown
	}
	return found, []gitops.Cluster{found.Desc()}, nil
}

// Place is the destination as the project's rules see it.
func (s *Subject[C]) Place() policy.Target { return PlaceOf(s.Cluster, s.App) }

// PlaceOf is the destination of an Application in a cluster as the rules of a project
// see it.
func PlaceOf(cluster Cluster, app *v1alpha1.Application) policy.Target {
	desc := cluster.Desc()
	return policy.Target{Server: desc.Server, Name: desc.Name, Namespace: app.Spec.Destination.Namespace}
}

// Permits says why the project does not let the Application touch an object.
func (s *Subject[C]) Permits(k gitops.Key) error {
	return policy.Live(s.Project, k, s.Place(), s.Scoped)
}

// PermitsAction says why the project forbids an action, and where its object is
// written. What stays as it is needs no leave, but for a hook that runs: its end
// is waited for, and it is run again where it fails.
func (s *Subject[C]) PermitsAction(action *gitops.Action) error {
	if action.Verb == gitops.Skip || action.Verb == gitops.Keep && (!action.Hook || action.Over) {
		return nil
	}
	err := s.Permits(action.Key)
	var p *gitops.Problem
	if action.Desired != nil && errors.As(err, &p) {
		return p.At(action.Desired.Origin)
	}
	return err
}

// Signed checks the signatures that the project asks for of a source at a revision.
func (c *Comparer[C]) Signed(ctx context.Context, s *Subject[C], source *v1alpha1.ApplicationSource, ref gitops.SourceRef, revision string) error {
	if c.Signatures == nil {
		return nil
	}
	rule, err := policy.Signatures(s.Project, source)
	if err != nil || rule == nil {
		return err
	}
	return c.Signatures.Verify(ctx, ref, revision, *rule)
}
