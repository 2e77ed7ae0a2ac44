package serve

import (
	"context"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/policy/approval"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// approver lets deletions go that wait for somebody's word, as the operator
// changes an Application otherwise.
type approver struct{ operator }

// Approve lets a mass deletion of an Application's objects go.
func (a approver) Approve(ctx context.Context, u *auth.User, of view.Granted, digest string, until time.Time) error {
	return a.change(ctx, u, of, &audit.Entry{Verb: "approve"}, func(app *v1alpha1.Application) error {
		return approval.Approve(app, digest, until, nameOf(u))
	})
}

// Confirm lets objects go that ask for it.
func (a approver) Confirm(ctx context.Context, u *auth.User, of view.Granted, digest string) error {
	return a.change(ctx, u, of, &audit.Entry{Verb: "confirm"}, func(app *v1alpha1.Application) error {
		return approval.Confirm(app, digest, time.Now())
	})
}

// ApproveSet lets a set delete Applications.
func (a approver) ApproveSet(ctx context.Context, u *auth.User, of *v1alpha1.ApplicationSet, digest string, until time.Time) error {
	return a.changeSet(ctx, u, of, &audit.Entry{Verb: "approve"}, func(set *v1alpha1.ApplicationSet) error {
		return approval.ApproveSet(set, digest, until, nameOf(u))
	})
}

// nameOf is who somebody is; empty for nobody, who may change nothing.
func nameOf(u *auth.User) string {
	if u == nil {
		return ""
	}
	return u.Name
}
