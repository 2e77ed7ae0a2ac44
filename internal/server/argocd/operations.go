package argocd

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Bounds of what a sync names, as package api has them.
const (
	maxResources = 1000
	maxOptions   = 50
	maxRevision  = 256
	// maxSyncs is how far back a rollback finds its sync.
	maxSyncs = 500
)

// located is where requests with a body name the Application's place.
type located struct {
	AppNamespace string `json:"appNamespace"`
	Project      string `json:"project"`
}

// at is the place of a request with a body.
func (s *server) at(c *call, l located) (place, error) {
	p, err := s.place(c)
	if l.AppNamespace != "" {
		p.key.Namespace = l.AppNamespace
	}
	if l.Project != "" {
		p.project = l.Project
	}
	return p, err
}

// syncRequest is what is read of a request to sync.
type syncRequest struct {
	located

	Revision        string                           `json:"revision"`
	Revisions       []string                         `json:"revisions"`
	SourcePositions []int64                          `json:"sourcePositions"`
	DryRun          bool                             `json:"dryRun"`
	Prune           bool                             `json:"prune"`
	Strategy        *v1alpha1.SyncStrategy           `json:"strategy"`
	Resources       []v1alpha1.SyncOperationResource `json:"resources"`
	Manifests       []string                         `json:"manifests"`
	SyncOptions     struct {
		Items []string `json:"items"`
	} `json:"syncOptions"`
	RetryStrategy *v1alpha1.RetryStrategy `json:"retryStrategy"`
}

func (r *syncRequest) check() error {
	long := func(s string) bool { return len(s) > maxRevision }
	switch {
	case len(r.Manifests) > 0:
		return problemf(unimplemented, "manifests of the caller's own are not synced; leave manifests out")
	case len(r.Resources) > maxResources:
		return problemf(invalid, "there are more than %d resources", maxResources)
	case len(r.SyncOptions.Items) > maxOptions:
		return problemf(invalid, "there are more than %d syncOptions", maxOptions)
	case slices.ContainsFunc(r.SyncOptions.Items, long):
		return problemf(invalid, "one of the syncOptions has more than %d characters", maxRevision)
	case long(r.Revision) || slices.ContainsFunc(r.Revisions, long):
		return problemf(invalid, "a revision has more than %d characters", maxRevision)
	}
	return nil
}

// want is the request in the product's words.
func (r *syncRequest) want(revisions []string) api.Sync {
	out := api.Sync{Prune: r.Prune, DryRun: r.DryRun, Options: r.SyncOptions.Items}
	if out.Revisions = revisions; len(revisions) == 1 {
		out.Revision, out.Revisions = revisions[0], nil
	}
	if st := r.Strategy; st != nil && st.Apply != nil {
		out.NoHooks, out.Force = true, st.Apply.Force
	} else if st != nil && st.Hook != nil {
		out.Force = st.Hook.Force
	}
	for _, o := range r.Resources {
		out.Resources = append(out.Resources, api.Ref{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name})
	}
	if r.RetryStrategy != nil {
		out.Retries = &r.RetryStrategy.Limit
	}
	return out
}

func (s *server) sync(c *call) (any, error) {
	var body syncRequest
	if err := s.decode(c, &body); err != nil {
		return nil, err
	}
	at, err := s.at(c, body.located)
	if err != nil {
		return nil, err
	}
	row, err := s.may(c, at, "applications", "sync")
	if err != nil {
		return nil, err
	}
	if err := body.check(); err != nil {
		return nil, err
	}
	app, err := s.cached(c.Context(), at.key)
	if err != nil {
		return nil, err
	}
	revisions, err := placed(app, body.Revision, body.Revisions, body.SourcePositions)
	if err != nil {
		return nil, err
	}
	want := body.want(revisions)
	if want.Elsewhere(row) {
		if err := s.mayAlso(c, at, row, "override"); err != nil {
			return nil, err
		}
	}
	mark, err := s.Operate.Sync(c.Context(), c.user, row.Granted(), want)
	if err != nil {
		return nil, err
	}
	return s.begun(c, row, mark)
}

// begun is the Application with the operation that bears a mark, so that who
// reads it next does not take the operation before for theirs.
func (s *server) begun(c *call, row *view.Row, mark string) (*v1alpha1.Application, error) {
	app, err := s.until(c.Context(), row.Key(), row.Project, seenTime, func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return marked(app.Operation, mark) || st != nil && marked(&st.Operation, mark)
	})
	if app != nil {
		return app, nil // it is asked for, even if the cache does not say so yet
	}
	return nil, err
}

func marked(op *v1alpha1.Operation, mark string) bool {
	return op != nil && slices.ContainsFunc(op.Info, func(i v1alpha1.Info) bool { return i.Value == mark })
}

type rollbackRequest struct {
	located

	ID     int64 `json:"id"`
	DryRun bool  `json:"dryRun"`
	Prune  bool  `json:"prune"`
}

func (s *server) rollback(c *call) (any, error) {
	var body rollbackRequest
	if err := s.decode(c, &body); err != nil {
		return nil, err
	}
	at, err := s.at(c, body.located)
	if err != nil {
		return nil, err
	}
	row, err := s.may(c, at, "applications", "sync")
	if err != nil {
		return nil, err
	}
	if err := s.mayAlso(c, at, row, "override"); err != nil {
		return nil, err
	}
	id, err := s.deployment(c, row, body.ID)
	if err != nil {
		return nil, err
	}
	mark, err := s.Operate.Rollback(c.Context(), c.user, row.Granted(), api.Rollback{Sync: id, Prune: body.Prune, DryRun: body.DryRun})
	if err != nil {
		return nil, err
	}
	return s.begun(c, row, mark)
}

// deployment finds the sync that an entry of an Application's status.history
// is of, among those that may be read.
func (s *server) deployment(c *call, row *view.Row, id int64) (string, error) {
	if s.Past == nil {
		return "", problemf(precondition, "cannot roll back: no history is kept; run the engine with --store")
	}
	all, err := s.Past.List(c.Context(), row.Namespace, row.Name, maxSyncs)
	if err != nil {
		return "", err
	}
	past := s.reach.Past()
	for i := range all {
		if all[i].History == nil || *all[i].History != id {
			continue
		}
		has, err := past.Has(c.Context(), row, &all[i])
		if has || err != nil {
			return all[i].ID, err
		}
	}
	return "", problemf(invalid, "application %s has no deployment with id %d; choose one of status.history", row.Name, id)
}

func (s *server) terminate(c *call) (any, error) {
	at, err := s.place(c)
	if err != nil {
		return nil, err
	}
	row, err := s.may(c, at, "applications", "sync")
	if err != nil {
		return nil, err
	}
	return none{}, s.Operate.Terminate(c.Context(), c.user, row.Granted())
}

func (s *server) remove(c *call) (any, error) {
	at, err := s.place(c)
	if err != nil {
		return nil, err
	}
	row, err := s.may(c, at, "applications", "delete")
	if err != nil {
		return nil, err
	}
	how, err := c.deletion()
	if err != nil {
		return nil, err
	}
	return none{}, s.Operate.Delete(c.Context(), c.user, row.Granted(), how)
}

// deletion says what becomes of the objects: they go, unless it is asked not
// to cascade.
func (c *call) deletion() (gitops.Propagation, error) {
	cascade, err := c.query.truth("cascade", true)
	if err != nil {
		return "", err
	}
	policy, err := c.query.text("propagationPolicy")
	if err != nil {
		return "", err
	}
	if !cascade {
		return gitops.DeleteOrphan, nil
	}
	switch how := gitops.Propagation(policy); how {
	case "":
		return gitops.DeleteForeground, nil
	case gitops.DeleteForeground, gitops.DeleteBackground:
		return how, nil
	default:
		return "", problemf(invalid, "propagationPolicy is neither foreground nor background; to keep the objects use cascade=false")
	}
}
