package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/approval"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Approver lets deletions go that wait for somebody's word. That they may is
// settled before. A list that is not the one of the digest is refused.
type Approver interface {
	Approve(ctx context.Context, u *auth.User, app view.Granted, digest string, until time.Time) error
	Confirm(ctx context.Context, u *auth.User, app view.Granted, digest string) error
	ApproveSet(ctx context.Context, u *auth.User, set *v1alpha1.ApplicationSet, digest string, until time.Time) error
}

// Held are deletions of an Application that wait for somebody's word.
type Held struct {
	Approval     *HeldObjects `json:"approval,omitempty" doc:"They are many: the guard of mass deletions holds them."`
	Confirmation *HeldObjects `json:"confirmation,omitempty" doc:"They ask to be confirmed: Prune=confirm, Delete=confirm."`
}

// HeldObjects are a list of deletions. The digest is of all of it.
type HeldObjects struct {
	Digest  string `json:"digest" doc:"Names exactly this list."`
	Count   int    `json:"count"`
	Objects []Ref  `json:"objects" nullable:"false" doc:"The first of them."`
}

// HeldApplications are those that a set would delete.
type HeldApplications struct {
	Digest       string     `json:"digest" doc:"Names exactly this list."`
	Count        int        `json:"count" doc:"Of those that you may read."`
	Applications []view.Key `json:"applications" nullable:"false" doc:"The first of those that you may read."`
	Others       bool       `json:"others,omitempty" doc:"There are further ones in the list, that you may not read: whoever approves it approves their deletion, too."`
}

// mostHeld bounds the lists that are shown.
const mostHeld = 500

// heldOf tells what of an Application waits; nil for nothing.
func heldOf(app *v1alpha1.Application) *Held {
	held := Held{Approval: heldObjects(approval.Held(app)), Confirmation: heldObjects(approval.Unconfirmed(app))}
	if held == (Held{}) {
		return nil
	}
	return &held
}

func heldObjects(keys []gitops.Key) *HeldObjects {
	if len(keys) == 0 {
		return nil
	}
	out := &HeldObjects{Digest: guard.Digest(approval.NamesOf(keys)), Count: len(keys), Objects: []Ref{}}
	for _, k := range keys[:min(len(keys), mostHeld)] {
		out.Objects = append(out.Objects, Ref{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name})
	}
	return out
}

// heldOfSet tells which Applications a set would delete, of those that may be
// read; nil for none.
func heldOfSet(set *v1alpha1.ApplicationSet, made []*view.Row, u *reach.Unseen) *HeldApplications {
	names := approval.HeldOfSet(set)
	if len(names) == 0 {
		return nil
	}
	going := make(map[string]bool, len(names))
	for _, name := range names {
		going[name] = true
	}
	out := &HeldApplications{Digest: guard.Digest(names), Applications: []view.Key{}}
	out.Count, out.Others = u.Besides(set.Namespace, names)
	for _, r := range made {
		if going[r.Name] && len(out.Applications) < mostHeld {
			out.Applications = append(out.Applications, r.Key())
		}
	}
	return out
}

// Approval lets a list of deletions go for a while.
type Approval struct {
	Digest  string `json:"digest" minLength:"1" maxLength:"128" doc:"Of the list, as it was shown."`
	Minutes int    `json:"minutes,omitempty" minimum:"1" maximum:"10080" default:"60" doc:"How long it holds."`
}

// Confirmation lets objects go that ask for it.
type Confirmation struct {
	Digest string `json:"digest" minLength:"1" maxLength:"128" doc:"Of the list, as it was shown."`
}

type approveInput struct {
	KeyInput

	Body Approval
}

type confirmInput struct {
	KeyInput

	Body Confirmation
}

func (s *server) approvals(a huma.API) {
	at := func(id, path, summary string) huma.Operation {
		op := operation(id, http.MethodPost, path, "operations", summary)
		op.DefaultStatus = http.StatusAccepted
		op.Errors = append(op.Errors, http.StatusConflict, http.StatusUnprocessableEntity)
		return op
	}
	const app, set = "/applications/{namespace}/{name}", "/applicationsets/{namespace}/{name}"
	handle(a, at("approve-deletions", app+"/approve", "Approve a mass deletion that is held"), s.approve)
	handle(a, at("confirm-deletions", app+"/confirm", "Confirm deletions that ask for it"), s.confirm)
	handle(a, at("approve-applicationset-deletions", set+"/approve", "Approve that an ApplicationSet deletes many Applications"), s.approveSet)
}

func (a *Approval) until() time.Time { return time.Now().Add(time.Duration(a.Minutes) * time.Minute) }

// approve is an update of the Application, as whoever writes the annotation
// does one.
func (s *server) approve(ctx context.Context, in *approveInput) (*struct{}, error) {
	return s.write(ctx, in.key(), "update", func(u *auth.User, app view.Granted) error {
		return s.Approver.Approve(ctx, u, app, in.Body.Digest, in.Body.until())
	})
}

func (s *server) confirm(ctx context.Context, in *confirmInput) (*struct{}, error) {
	return s.write(ctx, in.key(), "update", func(u *auth.User, app view.Granted) error {
		return s.Approver.Confirm(ctx, u, app, in.Body.Digest)
	})
}

func (s *server) approveSet(ctx context.Context, in *approveInput) (*struct{}, error) {
	set, err := s.maySet(ctx, in.key())
	if err != nil {
		return nil, err
	}
	if err := s.reach.Demand(ctx, reach.Set("update", set.Spec.Template.Spec.GetProject(), in.key())); err != nil {
		return nil, httpError(err)
	}
	return nil, httpError(s.Approver.ApproveSet(ctx, auth.From(ctx), set, in.Body.Digest, in.Body.until()))
}
