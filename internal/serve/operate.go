package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/conflict"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/serve/secrets"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/marks"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// fieldOwner of what people change by the API.
const fieldOwner = secrets.FieldOwner

// operator writes what people ask for to Applications. Who is known to
// Kubernetes writes by their own rights; for others the engine writes, after
// the policies of the installation have been asked.
type operator struct {
	// rows are what rights were told by.
	// marks are told of what is asked for.
	marks *marks.Marks

	hub    *rest.Config
	engine client.Client
	kept   *store.Store // nil: no history
	trail  *trail.Trail
	// seal vouches for who asks for an operation.
	seal *operation.Seal
	// refreshes of somebody, of an Application each.
	refreshes *session.Tries
}

// How often somebody may ask for another look at an Application.
const (
	refreshEvery = 2 * time.Second
	refreshBurst = 10
)

func newOperator(o *Options, i *index, trail *trail.Trail) operator {
	return operator{
		marks: i.marks, hub: o.Hub, engine: o.Client, kept: o.History, trail: trail, seal: o.Seal,
		refreshes: session.NewTries(rate.Every(refreshEvery), refreshBurst),
	}
}

// errNobody is the answer to a write of nobody, whatever a policy lets them:
// it would be done in nobody's name.
var errNobody = gitops.Problemf(gitops.Refused, "nobody is signed in").Do("sign in to change something")

// client writes as somebody.
func (o operator) client(u *auth.User) (client.Client, error) {
	if u == nil || u.Via != auth.Kubernetes {
		return o.engine, nil
	}
	c := rest.CopyConfig(o.hub)
	c.Impersonate = impersonating(u)
	return client.New(c, client.Options{Scheme: o.engine.Scheme(), Mapper: o.engine.RESTMapper()})
}

// change reads an Application anew, changes it, and writes it where nobody
// else did in between. What is written is in the audit before.
func (o operator) change(ctx context.Context, u *auth.User, of view.Granted, e *audit.Entry, change func(*v1alpha1.Application) error) error {
	return o.changeAs(ctx, u, u, of, e, change)
}

// changeAs is for what somebody may ask for who may not write it by themselves.
func (o operator) changeAs(ctx context.Context, writer, u *auth.User, of view.Granted, e *audit.Entry, change func(*v1alpha1.Application) error) error {
	if u == nil {
		return errNobody
	}
	k := of.Key
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	e.Resource, e.Namespace, e.Name = "applications", k.Namespace, k.Name
	c, err := o.client(writer)
	if err != nil {
		return fmt.Errorf("cannot write as %s: %w", u.Name, err)
	}
	audited := ""
	err = conflict.Retry(func() error {
		app := &v1alpha1.Application{}
		if err := c.Get(ctx, client.ObjectKey(k), app); err != nil {
			return err
		}
		if app.Spec.GetProject() != of.Project {
			return reach.Moved(k)
		}
		if app.Outlined != "" && e.Verb != verbDelete {
			return gitops.Problemf(gitops.Invalid, "%s", app.Outlined)
		}
		before := app.DeepCopy()
		e.Project, e.Cluster = app.Spec.GetProject(), cmp.Or(app.Spec.Destination.Name, app.Spec.Destination.Server)
		if err := change(app); err != nil {
			return err
		}
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := o.begin(ctx, u, e, before, app, patch, &audited); err != nil {
			return err
		}
		return c.Patch(ctx, app, patch, fieldOwner)
	})
	err = explained(err, "application", k)
	o.trail.Failed(ctx, u, e, err)
	return err
}

// begin tells the audit what is about to be written; of several tries that
// write the same, once.
func (o operator) begin(ctx context.Context, u *auth.User, e *audit.Entry, before, after client.Object, patch client.Patch, audited *string) error {
	text, err := patch.Data(after)
	if err != nil {
		return fmt.Errorf("cannot encode the change: %w", err)
	}
	e.Changes = trail.Changes(before, text)
	if now := fmt.Sprint(e.Changes); now != *audited {
		*audited = now
		return o.trail.Begin(ctx, u, e)
	}
	return nil
}

// explained is an error of the API server in the product's words.
func explained(err error, kind string, k view.Key) error {
	var p *gitops.Problem
	switch {
	case err == nil || errors.As(err, &p) || errors.As(err, &trail.Untold{}):
		return err
	case apierrors.IsNotFound(err):
		return gitops.Problemf(gitops.NotFound, "%s %s in %s does not exist", kind, k.Name, k.Namespace)
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Forbidden, "Kubernetes does not let you change %s %s in %s: %w", kind, k.Name, k.Namespace, err)
	case apierrors.IsConflict(err):
		return gitops.Problemf(gitops.NotReady, "%s %s is being changed by somebody else; try again", kind, k.Name)
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
		return gitops.Problemf(gitops.Invalid, "the API server refuses the change of %s %s: %w", kind, k.Name, err)
	}
	return fmt.Errorf("cannot change %s %s: %w", kind, k.Name, err)
}

// Sync asks for a sync.
func (o operator) Sync(ctx context.Context, u *auth.User, of view.Granted, want api.Sync) (string, error) {
	if u == nil {
		return "", errNobody
	}
	w := operation.Want{
		Prune: want.Prune, DryRun: want.DryRun, Force: want.Force, NoHooks: want.NoHooks, Revision: want.Revision, Revisions: want.Revisions,
		Options: want.Options, Retries: want.Retries, By: u.Name, Mark: rand.Text(),
	}
	for _, r := range want.Resources {
		w.Resources = append(w.Resources, v1alpha1.SyncOperationResource{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name})
	}
	return w.Mark, o.operate(ctx, u, of, &audit.Entry{Verb: marks.Sync, Operation: w.Mark}, func(app *v1alpha1.Application) (*v1alpha1.Operation, error) { return w.Sync(app), nil })
}

// Rollback asks to go back to a sync of the history.
func (o operator) Rollback(ctx context.Context, u *auth.User, of view.Granted, want api.Rollback) (string, error) {
	if u == nil {
		return "", errNobody
	}
	w := operation.Want{Prune: want.Prune, DryRun: want.DryRun, By: u.Name, Mark: rand.Text()}
	e := &audit.Entry{Verb: marks.Rollback, Operation: w.Mark}
	return w.Mark, o.operate(ctx, u, of, e, func(app *v1alpha1.Application) (*v1alpha1.Operation, error) {
		to, err := o.kept.Get(ctx, want.Sync)
		if err != nil {
			return nil, err
		}
		if to.App.Namespace != of.Key.Namespace || to.App.Name != of.Key.Name || to.App.UID != string(app.UID) {
			return nil, gitops.Problemf(gitops.NotFound, "application %s has no sync %s", of.Key.Name, want.Sync)
		}
		return w.Rollback(app, to)
	})
}

// operate begins an operation, which bears the mark of its entry.
func (o operator) operate(ctx context.Context, u *auth.User, of view.Granted, e *audit.Entry, wanted func(*v1alpha1.Application) (*v1alpha1.Operation, error)) error {
	request := operation.NewRequest(time.Now())
	err := o.change(ctx, u, of, e, func(app *v1alpha1.Application) (err error) {
		if operation.Busy(app) {
			return gitops.Problemf(gitops.NotReady, "application %s is syncing already: %s", of.Key.Name, operation.Message(app)).Do("wait for its end, or terminate it")
		}
		if app.Operation, err = wanted(app); err == nil {
			o.seal.Vouch(app.UID, app.Operation, request)
		}
		return err
	})
	if err == nil {
		o.marks.Ask(of.Key, e.Operation, e.Verb, u.Name)
	}
	return err
}

// Refresh asks for another look.
func (o operator) Refresh(ctx context.Context, u *auth.User, of view.Granted, how api.Thoroughness) error {
	if u == nil {
		return errNobody
	}
	if err := o.refreshes.Take(refreshOf(u, of.Key)); err != nil {
		return fmt.Errorf("cannot refresh application %s: %w", of.Key.Name, err)
	}
	// Who may read may ask, so Kubernetes need not let them write.
	return o.changeAs(ctx, nil, u, of, &audit.Entry{Verb: "refresh"}, func(app *v1alpha1.Application) error {
		if app.Annotations == nil {
			app.Annotations = map[string]string{}
		}
		app.Annotations[v1alpha1.AnnotationRefresh] = string(how)
		return nil
	})
}

// refreshOf names an Application and who asks, as nothing else is named.
func refreshOf(u *auth.User, k view.Key) string {
	return k.Namespace + "/" + k.Name + " " + u.Person()
}

// Terminate asks for the end of an operation.
func (o operator) Terminate(ctx context.Context, u *auth.User, of view.Granted) error {
	return o.change(ctx, u, of, &audit.Entry{Verb: "terminate"}, operation.Terminate)
}

// verbDelete is what may be done to an Application of which only an outline is kept.
const verbDelete = "delete"

// Delete deletes exactly the Application that bears the finalizers which were written.
func (o operator) Delete(ctx context.Context, u *auth.User, of view.Granted, how gitops.Propagation) error {
	var uid client.Preconditions
	k := of.Key
	e := &audit.Entry{Verb: verbDelete}
	err := o.change(ctx, u, of, e, func(app *v1alpha1.Application) error {
		uid.UID = &app.UID
		return operation.Deletion(app, how)
	})
	if err != nil {
		return err
	}
	c, err := o.client(u)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	app := &v1alpha1.Application{}
	app.Namespace, app.Name = k.Namespace, k.Name
	err = explained(client.IgnoreNotFound(c.Delete(ctx, app, uid)), "application", k)
	o.trail.Failed(ctx, u, e, err)
	return err
}
