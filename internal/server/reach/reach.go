package reach

import (
	"context"
	"errors"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Reach asks the rights of whoever a context is of.
type Reach struct {
	rights Rights
	rows   *view.Index
	trail  *trail.Trail
	places *places
}

// New makes one. A nil trail is told nothing.
func New(r Rights, rows *view.Index, t *trail.Trail) *Reach { return &Reach{r, rows, t, newPlaces()} }

// Hidden is the answer for what is not there, and for what may not be read:
// nobody can tell one from the other.
type Hidden struct{ problem error }

// Error implements error.
func (h Hidden) Error() string { return h.problem.Error() }

// Unwrap returns a gitops.Problem of kind NotFound.
func (h Hidden) Unwrap() error { return h.problem }

func hidden(format string, args ...any) error {
	return Hidden{gitops.Problemf(gitops.NotFound, format, args...)}
}

// HiddenApplication is what is answered for one that is hidden.
func HiddenApplication(k view.Key) error {
	return hidden("application %s in %s does not exist, or you may not read it", k.Name, k.Namespace)
}

// Moved is the answer to a write of an Application that is no longer in the project
// by which the right to it was found.
func Moved(k view.Key) error {
	return gitops.Problemf(gitops.NotReady, "application %s is being moved to another project; try again", k.Name)
}

// Known is an error for nobody, where nobody may come in.
func (r *Reach) Known(ctx context.Context) error {
	_, err := r.Visible(ctx)
	return err
}

// Visible tells which Applications may be read.
func (r *Reach) Visible(ctx context.Context) (func(*view.Row) bool, error) {
	return r.rights.Visible(ctx, auth.From(ctx))
}

// Permits reports whether something may be done. The audit is not told: a page
// asks what it is to show, and waits until that is known.
func (r *Reach) Permits(ctx context.Context, a Access) bool {
	return r.Permit(Patiently(ctx), a) == nil
}

// Permit tells why something may not be done, and the audit nothing.
func (r *Reach) Permit(ctx context.Context, a Access) error {
	return r.rights.Permit(ctx, auth.From(ctx), a)
}

// Demand tells why something may not be done, and the audit that it was tried.
func (r *Reach) Demand(ctx context.Context, a Access) error {
	err := r.Permit(ctx, a)
	if judged(err) {
		r.Denied(ctx, a, err)
	}
	return err
}

// judged tells a no of the rights from that they could not tell yet.
func judged(err error) bool {
	var p *gitops.Problem
	return errors.As(err, &p)
}

// Denied tells the audit that something may not be done, as somebody else than
// the rights says; nothing where it may.
func (r *Reach) Denied(ctx context.Context, a Access, why error) {
	e := &audit.Entry{Verb: a.Action, Resource: a.Resource, Project: a.Project, Namespace: a.Namespace, Name: a.Name}
	r.trail.Failed(ctx, auth.From(ctx), e, why)
}

// Application finds one with which something may be done: an action of a
// resource, which is applications or what belongs to them. One that may not be
// read is Hidden.
func (r *Reach) Application(ctx context.Context, k view.Key, resource, action string) (*view.Row, error) {
	visible, err := r.Visible(ctx)
	if err != nil {
		return nil, err
	}
	row := r.rows.Get(k)
	if err := r.knows(ctx, row, k); err != nil {
		return nil, err
	}
	if row == nil || !visible(row) {
		if err := r.unread(ctx, row, Application(resource, action, "", k)); err != nil {
			return nil, err
		}
		return nil, HiddenApplication(k)
	}
	if resource == "applications" && action == "get" {
		return row, nil
	}
	return row, r.Demand(ctx, Application(resource, action, row.Project, k))
}

// knows reports whether it is known who may read an Application, as far as others have to
// be asked for that: one that is there and one that is not are asked about alike, and
// take as long. What is answered is remembered for who looks then.
func (r *Reach) knows(ctx context.Context, row *view.Row, k view.Key) error {
	project := ""
	if row != nil {
		project = row.Project
	}
	if err := r.Permit(ctx, Application("applications", "get", project, k)); err != nil && !judged(err) {
		return err
	}
	return nil
}

// unread tells the audit of an Application that may not be read, and of one that is
// not there and might not be read if it were: how long an answer takes tells nobody
// whether there is one, and both take the same questions and the same entry. The
// error is that nobody knows yet what they may read.
func (r *Reach) unread(ctx context.Context, row *view.Row, a Access) error {
	if row != nil {
		a.Project = row.Project
	}
	read := a
	read.Resource, read.Action = "applications", "get"
	err := r.Permit(ctx, read)
	switch {
	case err == nil && row == nil:
		return nil // they see that there is none
	case err != nil && !judged(err):
		return err
	}
	r.Denied(ctx, a, gitops.Problemf(gitops.Forbidden, "it may not be read, or is not there"))
	return nil
}

// Set finds an ApplicationSet that may be read among all there are. Of one that is
// not there, the audit is told what it is of one that may not be read, see unread.
func (r *Reach) Set(ctx context.Context, all []v1alpha1.ApplicationSet, k view.Key) (*v1alpha1.ApplicationSet, error) {
	if err := r.Known(ctx); err != nil {
		return nil, err
	}
	read := Set("get", "", k)
	var found *v1alpha1.ApplicationSet
	for i := range all {
		if set := &all[i]; set.Namespace == k.Namespace && set.Name == k.Name {
			read, found = ReadSet(set), set
		}
	}
	err := r.Demand(ctx, read)
	switch {
	case err == nil && found != nil:
		return found, nil
	case err != nil && !judged(err):
		return nil, err
	}
	return nil, hidden("ApplicationSet %s in %s does not exist, or you may not read it", k.Name, k.Namespace)
}

// Project finds a project that may be read among all there are.
func (r *Reach) Project(ctx context.Context, all []v1alpha1.AppProject, name string) (*v1alpha1.AppProject, error) {
	if err := r.Known(ctx); err != nil {
		return nil, err
	}
	for i := range all {
		if p := &all[i]; p.Name == name && r.Permits(ctx, ReadProject(p)) {
			return p, nil
		}
	}
	return nil, hidden("there is no project %s", name)
}

// Only leaves of all those that are permitted. Nothing is left for nobody: ask
// whether they are Known first, so that they are told to sign in.
func Only[T any](ctx context.Context, r *Reach, all []T, access func(*T) Access) []T {
	out := []T{}
	for i := range all {
		if r.Permits(ctx, access(&all[i])) {
			out = append(out, all[i])
		}
	}
	return out
}

// Might reports whether something of the kind may be done to any object.
func (r *Reach) Might(ctx context.Context, a Access) bool {
	return r.rights.Might(ctx, auth.From(ctx), a)
}

// Can are those of some actions that are permitted with something: pages offer
// no others.
func (r *Reach) Can(ctx context.Context, a Access, actions ...string) []string {
	out := []string{}
	for _, action := range actions {
		if a.Action = action; r.Permits(ctx, a) {
			out = append(out, action)
		}
	}
	return out
}
