package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// Project is an AppProject with how many Applications are in it.
type Project struct {
	Name         string                  `json:"name"`
	Spec         v1alpha1.AppProjectSpec `json:"spec"`
	Applications int                     `json:"applications"`
}

func (s *server) projects(a huma.API) {
	handle(a, operation("list-projects", http.MethodGet, "/projects", "projects", "The projects"), s.listProjects)
}

func (s *server) listProjects(ctx context.Context, _ *struct{}) (*answer[[]Project], error) {
	all, err := s.Applications.Projects(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	counts := map[string]int{}
	for _, r := range s.Index.Now().Rows {
		if visible(r) {
			counts[r.Project]++
		}
	}
	out := []Project{}
	for _, p := range reach.Only(ctx, s.reach, all, reach.ReadProject) {
		out = append(out, Project{Name: p.Name, Spec: p.Spec, Applications: counts[p.Name]})
	}
	return &answer[[]Project]{out}, nil
}
