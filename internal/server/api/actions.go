package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// Actor knows and carries out the actions of live objects. That somebody may
// is settled before.
type Actor interface {
	Actions(ctx context.Context, app *v1alpha1.Application, ref Ref) ([]Action, error)
	Act(ctx context.Context, u *auth.User, app *v1alpha1.Application, want Act) ([]Acted, error)
}

// Action is something that can be done with a live object.
type Action struct {
	Name       string            `json:"name"`
	Title      string            `json:"title,omitempty"`
	Disabled   bool              `json:"disabled,omitempty" doc:"The object's present state rules it out."`
	Permitted  bool              `json:"permitted" doc:"You may do it."`
	Parameters []ActionParameter `json:"parameters,omitempty"`
}

// ActionParameter is what a person may say of an action.
type ActionParameter struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`
	Default string `json:"default,omitempty"`
}

// Act is an action that is wanted.
type Act struct {
	Action     string            `json:"action" maxLength:"253" minLength:"1"`
	Parameters map[string]string `json:"parameters,omitempty" maxProperties:"50"`
	DryRun     bool              `json:"dryRun,omitempty" doc:"Ask the API server, and change nothing."`

	// Object is named in the address.
	Object Ref `json:"-"`
}

// Acted is an object that an action changed or made.
type Acted struct {
	Ref

	Verb    string   `json:"verb" enum:"create,update,keep"`
	Changes []Change `json:"changes,omitempty"`
	// Before and After are YAML, with secrets masked.
	Before string `json:"before,omitempty" doc:"YAML; values of Secrets are masked."`
	After  string `json:"after,omitempty"`
}

// Bounds of an action's parameters.
const (
	MaxParameters = 50
	maxParameter  = 4 << 10
)

// Check tells what is too much; tags bound how many there are alone.
func (a *Act) Check() error {
	for name, value := range a.Parameters {
		if len(name) > maxParameter || len(value) > maxParameter {
			return gitops.Problemf(gitops.Invalid, "a parameter of action %.64s has more than %d characters", a.Action, maxParameter)
		}
	}
	return nil
}

// Resolve implements huma.Resolver.
func (a *Act) Resolve(huma.Context) []error {
	if err := a.Check(); err != nil {
		return []error{&huma.ErrorDetail{Message: err.Error(), Location: "body.parameters"}}
	}
	return nil
}

type actInput struct {
	RefInput

	Body Act
}

func (s *server) actions(a huma.API) {
	const path = "/applications/{namespace}/{name}/objects/actions"
	list := operation("list-actions", http.MethodGet, path, "objects", "What can be done with a live object now")
	list.Errors = append(list.Errors, http.StatusUnprocessableEntity, http.StatusBadGateway, http.StatusGatewayTimeout)
	handle(a, list, s.listActions)
	act := operation("run-action", http.MethodPost, path, "operations", "Do it: restart, pause, resume and the like")
	act.Errors = append(act.Errors, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadGateway, http.StatusGatewayTimeout)
	handle(a, act, s.act)
}

// ActionRight is the right to an action, in Argo CD's words.
func ActionRight(ref Ref, name string) string {
	return "action/" + ref.Group + "/" + ref.Kind + "/" + name
}

func (s *server) listActions(ctx context.Context, in *RefInput) (*answer[[]Action], error) {
	out, err := look(ctx, s, in.key(), func(ctx context.Context, app *v1alpha1.Application) ([]Action, error) {
		return s.Act.Actions(ctx, app, in.ref())
	})
	if err != nil {
		return nil, err
	}
	row := s.Index.Get(in.key())
	for i := range out.Body {
		access := reach.Access{Resource: "applications", Action: ActionRight(in.ref(), out.Body[i].Name), Namespace: in.Namespace, Name: in.Name}
		if row != nil {
			access.Project = row.Project
		}
		out.Body[i].Permitted = row != nil && s.reach.Permits(ctx, access)
	}
	return out, nil
}

func (s *server) act(ctx context.Context, in *actInput) (*answer[[]Acted], error) {
	want := in.Body
	want.Object = in.ref()
	row, err := s.may(ctx, in.key(), "applications", ActionRight(want.Object, want.Action))
	if err != nil {
		return nil, err
	}
	return look(ctx, s, in.key(), func(ctx context.Context, app *v1alpha1.Application) ([]Acted, error) {
		if app.Spec.GetProject() != row.Project {
			return nil, reach.Moved(row.Key())
		}
		return s.Act.Act(ctx, auth.From(ctx), app, want)
	})
}
