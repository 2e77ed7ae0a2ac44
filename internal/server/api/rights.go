package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// Right is an action, and where somebody may do it.
type Right struct {
	Resource string `json:"resource"`
	Action   string `json:"action"`
	// Everywhere: with all there are, also in projects that are yet to come.
	Everywhere bool     `json:"everywhere,omitempty"`
	Projects   []string `json:"projects,omitempty" doc:"Projects with all of which it is allowed."`
	Off        string   `json:"off,omitempty" doc:"Why nobody may do it now, whatever they are allowed: it is switched off."`
	Some       bool     `json:"some,omitempty" doc:"With some objects at least, by a rule that names them or what their names are like."`
}

// OwnRights is what somebody may do.
type OwnRights struct {
	Rights []Right `json:"rights"`
	More   bool    `json:"more,omitempty" doc:"There are more projects than were looked at."`
}

// mostJudged bounds the projects that are looked at.
const mostJudged = 200

// judged are the rights that the pages have a use for.
var judged = []struct {
	resource string
	actions  []string
	// inProjects: policies name objects by their projects.
	inProjects bool
}{
	{"applications", []string{"get", "create", "update", "delete", "sync", "override"}, true},
	{"applicationsets", []string{"get", "create", "update", "delete"}, true},
	{"logs", []string{"get"}, true},
	{"exec", []string{"create"}, true},
	{"projects", []string{"get", "create", "update", "delete"}, false},
	{"repositories", []string{"get", "create", "update", "delete"}, false},
	{"clusters", []string{"get", "create", "update", "delete"}, false},
	{"accounts", []string{"get", "update"}, false},
	{"audit", []string{"get"}, false},
}

func (s *server) rights(a huma.API) {
	op := operation("get-rights", http.MethodGet, "/session/rights", "session", "What you may do")
	op.Description = "The rights by the policy and by the roles of Kubernetes. A right to single objects is reported without their names: if a person may sync only one application of a project, the answer says that they may sync some."
	handle(a, op, s.ownRights)
}

func (s *server) ownRights(ctx context.Context, _ *struct{}) (*answer[*OwnRights], error) {
	if err := s.reach.Known(ctx); err != nil {
		return nil, httpError(err)
	}
	projects, err := s.Applications.Projects(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	var names []string
	for _, p := range reach.Only(ctx, s.reach, projects, reach.ReadProject) {
		names = append(names, p.Name)
	}
	slices.SortFunc(names, strings.Compare)
	out := &OwnRights{Rights: []Right{}, More: len(names) > mostJudged}
	names = names[:min(len(names), mostJudged)]
	for _, j := range judged {
		for _, action := range j.actions {
			right, err := s.judge(ctx, j.resource, action, j.inProjects, names)
			if err != nil {
				return nil, httpError(err)
			}
			right.Some = right.Everywhere || len(right.Projects) > 0 || s.might(ctx, j.resource, action, names)
			if j.resource == "exec" && len(s.shells()) == 0 {
				right.Off = off.Error()
			}
			out.Rights = append(out.Rights, right)
		}
	}
	return &answer[*OwnRights]{out}, nil
}

// judge asks for all objects at once, and for those of each project.
func (s *server) judge(ctx context.Context, resource, action string, inProjects bool, projects []string) (Right, error) {
	out := Right{Resource: resource, Action: action}
	a := reach.Access{Resource: resource, Action: action, Name: "*"}
	if inProjects {
		a.Project, a.Namespace = "*", s.Namespace
	}
	ctx = reach.Patiently(ctx)
	all, err := allowed(s.reach.Permit(ctx, a))
	if out.Everywhere = all; all || err != nil || !inProjects {
		return out, err
	}
	for _, a.Project = range projects {
		ok, err := allowed(s.reach.Permit(ctx, a))
		if err != nil {
			return out, err
		}
		if ok {
			out.Projects = append(out.Projects, a.Project)
		}
	}
	return out, nil
}

// might reports whether a rule of the policy, or of a project, allows it to anything.
func (s *server) might(ctx context.Context, resource, action string, projects []string) bool {
	return slices.ContainsFunc(append([]string{""}, projects...), func(project string) bool {
		return s.reach.Might(ctx, reach.Access{Resource: resource, Action: action, Project: project})
	})
}

// reads reports whether there is anything that the sender may read.
func (s *server) reads(ctx context.Context) bool {
	for _, j := range judged {
		if s.might(ctx, j.resource, "get", nil) {
			return true
		}
	}
	return false
}

// allowed tells a no from an error.
func allowed(err error) (bool, error) {
	if gitops.IsProblem(err, gitops.Forbidden) {
		return false, nil
	}
	return err == nil, err
}
