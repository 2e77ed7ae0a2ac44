package serve

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/conflict"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// roller holds roll-outs in steps, as the operator changes an Application.
type roller struct{ operator }

// PauseSet lets a roll-out begin nothing more.
func (r roller) PauseSet(ctx context.Context, u *auth.User, of *v1alpha1.ApplicationSet) error {
	return r.changeSet(ctx, u, of, &audit.Entry{Verb: "pause"}, rollout.Pause)
}

// ResumeSet lets it go on.
func (r roller) ResumeSet(ctx context.Context, u *auth.User, of *v1alpha1.ApplicationSet) error {
	return r.changeSet(ctx, u, of, &audit.Entry{Verb: "resume"}, rollout.Resume)
}

// changeSet writes a change of a set. It is the one whose rights were told, of
// the same project still.
func (o operator) changeSet(ctx context.Context, u *auth.User, of *v1alpha1.ApplicationSet, e *audit.Entry, change func(*v1alpha1.ApplicationSet) error) error {
	if u == nil {
		return errNobody
	}
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	c, err := o.client(u)
	if err != nil {
		return fmt.Errorf("cannot write as %s: %w", u.Name, err)
	}
	project, audited := of.Spec.Template.Spec.GetProject(), ""
	e.Resource, e.Project, e.Namespace, e.Name = "applicationsets", project, of.Namespace, of.Name
	err = conflict.Retry(func() error {
		set := &v1alpha1.ApplicationSet{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(of), set); err != nil {
			return err
		}
		if set.Spec.Template.Spec.GetProject() != project {
			return gitops.Problemf(gitops.NotReady, "ApplicationSet %s is being moved to another project; try again", set.Name)
		}
		if set.Outlined != "" {
			return gitops.Problemf(gitops.Invalid, "%s", set.Outlined)
		}
		before := set.DeepCopy()
		if err := change(set); err != nil {
			return err
		}
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := o.begin(ctx, u, e, before, set, patch, &audited); err != nil {
			return err
		}
		return c.Patch(ctx, set, patch, fieldOwner)
	})
	err = explained(err, "ApplicationSet", view.Key{Namespace: of.Namespace, Name: of.Name})
	o.trail.Failed(ctx, u, e, err)
	return err
}
