package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe/action"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Act is an action on an object, as the engine carries it out.
type Act struct {
	Object     gitops.Key
	Version    string
	Action     string
	Parameters map[string]string
	DryRun     bool
	// May is asked whether who wants it may write that, also for a dry run.
	May func(changes []action.Change) error
	// Begin is told what is about to be written; where it fails, nothing is.
	Begin func(live *unstructured.Unstructured, changes []action.Change) error
}

// Actor carries out actions in the cluster of an application, as far as its
// project permits, with the account that its syncs have there.
type Actor func(ctx context.Context, app *v1alpha1.Application, act Act) ([]plan.ObjectDiff, error)

// actor is the same for the API: for objects that an application has, and told
// to the audit.
type actor struct{ looker }

// reader reads a live object of an application.
type reader func(ctx context.Context, at *Admitted, app *v1alpha1.Application, ref api.Ref) (*unstructured.Unstructured, error)

// mine reads a live object that an application has, and tells where it is.
func (l looker) mine(ctx context.Context, app *v1alpha1.Application, ref api.Ref, read reader) (at *Admitted, o *unstructured.Unstructured, err error) {
	if at, err = l.on.Admit(ctx, app); err != nil {
		return nil, nil, err
	}
	o, err = read(ctx, at, app, ref)
	if err == nil && o == nil {
		err = gitops.Problemf(gitops.NotFound, "%s %s is not in the cluster", ref.Kind, ref.Name)
	}
	return at, o, err
}

// discover finds the actions that a live object of an application has now.
func (l looker) discover(ctx context.Context, app *v1alpha1.Application, ref api.Ref) ([]action.Action, error) {
	at, o, err := l.mine(ctx, app, ref, l.seen)
	if err != nil {
		return nil, err
	}
	return action.Discover(l.on.Checks.Custom(), at.server(), o)
}

// Actions are those that a live object of an application has now.
func (a actor) Actions(ctx context.Context, app *v1alpha1.Application, ref api.Ref) ([]api.Action, error) {
	found, err := a.discover(ctx, app, ref)
	if err != nil {
		return nil, err
	}
	out := make([]api.Action, 0, len(found))
	for _, f := range found {
		one := api.Action{Name: f.Name, Title: f.DisplayName, Disabled: f.Disabled}
		for _, p := range f.Parameters {
			one.Parameters = append(one.Parameters, api.ActionParameter{Name: p.Name, Type: p.Type, Default: p.Default})
		}
		out = append(out, one)
	}
	return out, nil
}

// Act carries one out.
func (a actor) Act(ctx context.Context, u *auth.User, app *v1alpha1.Application, want api.Act) ([]api.Acted, error) {
	if u == nil {
		return nil, errNobody
	}
	at, o, err := a.mine(ctx, app, want.Object, a.read)
	if err != nil {
		return nil, err
	}
	key := gitops.KeyOf(o)
	by := accessTo(app, "applications", api.ActionRight(want.Object, want.Action))
	e := &audit.Entry{
		Verb: "action/" + key.Group + "/" + key.Kind + "/" + want.Action, Resource: "applications",
		Project: app.Spec.GetProject(), Namespace: app.Namespace, Name: app.Name, Cluster: destinationOf(app),
	}
	audited := ""
	done, err := a.on.Act(ctx, app, Act{
		Object: key, Version: want.Object.Version, Action: want.Action, Parameters: want.Parameters, DryRun: want.DryRun,
		May: func(changes []action.Change) error {
			rights, err := toWrite(ctx, at.Cluster, changes)
			if err != nil {
				return err
			}
			return a.barred(ctx, at.Cluster, by, rights...)
		},
		Begin: func(live *unstructured.Unstructured, changes []action.Change) error {
			if e.Changes, err = writes(live, changes); err != nil {
				return err
			}
			if now := fmt.Sprint(e.Changes); now != audited {
				audited = now
				return a.trail.Begin(ctx, u, e)
			}
			return nil
		},
	})
	if err = actionProblem(err, want); err != nil {
		a.trail.Failed(ctx, u, e, err)
		return nil, err
	}
	veil, unknown := a.veilNow(ctx, app)
	for i := range done {
		if unknown != nil { // it is done: its texts alone are kept back
			done[i].Diff = plan.Diff{}
			continue
		}
		done[i].Diff = done[i].Diff.Without(veil)
	}
	return actedOf(done)
}

// writes are the fields that an action writes, by object.
func writes(live *unstructured.Unstructured, changes []action.Change) ([]audit.Change, error) {
	var out []audit.Change
	for i := range changes {
		c := &changes[i]
		before, patch := live.Object, map[string]any{}
		for name, value := range c.Patch {
			patch[name] = value
		}
		if c.StatusPatch != nil {
			patch["status"] = c.StatusPatch
		}
		if c.Verb == gitops.Create {
			before, patch = map[string]any{}, c.Object.Object
		}
		text, err := json.Marshal(patch)
		if err != nil {
			return nil, fmt.Errorf("cannot encode what the action writes: %w", err)
		}
		for _, field := range trail.Changes(before, text) {
			field.Path = gitops.KeyOf(c.Object).String() + " " + field.Path
			out = append(out, field)
		}
	}
	return out, nil
}

// actionProblem is an error of the API server in the product's words.
func actionProblem(err error, want api.Act) error {
	var p *gitops.Problem
	what := want.Action + " " + want.Object.Kind + " " + want.Object.Name
	switch {
	case err == nil || errors.As(err, &p) || errors.As(err, &trail.Untold{}):
		return err
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Forbidden, "the cluster does not let the engine %s: %w", what, err).Do("give the account that syncs the application the right")
	case apierrors.IsNotFound(err):
		return gitops.Problemf(gitops.NotFound, "cannot %s: %w", what, err)
	case apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err):
		return gitops.Problemf(gitops.NotReady, "cannot %s: %w", what, err).Do("try again")
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
		return gitops.Problemf(gitops.Invalid, "the API server refuses what the action writes: %w", err)
	}
	return fmt.Errorf("cannot %s: %w", what, err)
}

func actedOf(done []plan.ObjectDiff) ([]api.Acted, error) {
	out := make([]api.Acted, 0, len(done))
	for i := range done {
		d := &done[i]
		one := api.Acted{Ref: refOf(d.Key, ""), Verb: string(d.Verb)}
		one.Changes = changesOf(&d.Diff)
		var err error
		if one.Before, one.After, err = d.Diff.Sides(); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}
