package argocd

import (
	"net/http"

	"github.com/causeway-gitops/causeway/internal/server/api"
)

// actionRequest is what is read of a request to run an action in its newer
// form, which has parameters.
type actionRequest struct {
	located

	Namespace  string `json:"namespace"`
	Name       string `json:"resourceName"`
	Version    string `json:"version"`
	Group      string `json:"group"`
	Kind       string `json:"kind"`
	Action     string `json:"action"`
	Parameters []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"resourceActionParameters"`
}

// runAction is the older form: the body is the action's name alone.
func (s *server) runAction(c *call) (any, error) {
	ref, err := c.query.ref()
	if err != nil {
		return nil, err
	}
	want := api.Act{Object: ref}
	if err := s.decode(c, &want.Action); err != nil {
		return nil, err
	}
	at, err := s.place(c)
	if err != nil {
		return nil, err
	}
	return s.act(c, at, want)
}

func (s *server) runActionWith(c *call) (any, error) {
	var body actionRequest
	if err := s.decode(c, &body); err != nil {
		return nil, err
	}
	at, err := s.at(c, body.located)
	if err != nil {
		return nil, err
	}
	if len(body.Parameters) > api.MaxParameters {
		return nil, problemf(invalid, "there are more than %d resourceActionParameters", api.MaxParameters)
	}
	want := api.Act{
		Object: api.Ref{Group: body.Group, Version: body.Version, Kind: body.Kind, Namespace: body.Namespace, Name: body.Name},
		Action: body.Action, Parameters: map[string]string{},
	}
	for _, p := range body.Parameters {
		want.Parameters[p.Name] = p.Value
	}
	return s.act(c, at, want)
}

// act asks for the right to this action, in Argo CD's words.
func (s *server) act(c *call, at place, want api.Act) (any, error) {
	if want.Action == "" || want.Object.Kind == "" || want.Object.Name == "" {
		return nil, problemf(invalid, "the request needs kind, resourceName and an action")
	}
	for _, text := range []string{want.Action, want.Object.Group, want.Object.Version, want.Object.Kind, want.Object.Namespace, want.Object.Name} {
		if len(text) > maxText {
			return nil, problemf(invalid, "a name in the request has more than %d characters", maxText)
		}
	}
	if err := want.Check(); err != nil {
		return nil, err
	}
	row, err := s.may(c, at, "applications", api.ActionRight(want.Object, want.Action))
	if err != nil {
		return nil, err
	}
	app, err := s.cachedIn(c.Context(), at.key, row.Project)
	if err != nil {
		return nil, err
	}
	ctx, end, err := s.turn(c)
	if err != nil {
		return nil, err
	}
	defer end()
	_, err = s.Act.Act(ctx, c.user, app, want)
	return none{}, looked(err)
}

// actionRoutes are both forms.
func actionRoutes(app string) []route {
	return []route{
		private(http.MethodPost, app+"/resource/actions", (*server).runAction),
		private(http.MethodPost, app+"/resource/actions/v2", (*server).runActionWith),
	}
}
