package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// ProjectWriter writes projects. That somebody may is settled before.
type ProjectWriter interface {
	// Put writes a project, unless it has changed since it was read; nil makes
	// one. Tokens of its roles stay as they are.
	Put(ctx context.Context, u *auth.User, old *v1alpha1.AppProject, want ProjectWish) (*v1alpha1.AppProject, error)
	Remove(ctx context.Context, u *auth.User, old *v1alpha1.AppProject) error
}

// ProjectWish is a project as it is to be.
type ProjectWish struct {
	Name string                  `json:"name" minLength:"1" maxLength:"253"`
	Spec v1alpha1.AppProjectSpec `json:"spec" doc:"As in the AppProject. Tokens of roles are left as they are."`
}

// ProjectDetail is a project with what its page needs.
type ProjectDetail struct {
	Project

	Version   string   `json:"version" doc:"Changes with each write; for If-Match, which takes it and no ETag."`
	ManagedBy string   `json:"managedBy,omitempty" doc:"The Application that deploys it: a change is to be made there."`
	Can       []string `json:"can" nullable:"false" doc:"What you may of: update, delete."`
}

// ProjectInput names one. It is exported for the reflection that reads what is
// embedded.
type ProjectInput struct {
	Name    string `path:"name" maxLength:"253"`
	IfMatch string `header:"If-Match" maxLength:"256" doc:"The version that the change was made for, as the answer's body has it in version. An ETag is refused: it names the answer, and not what is stored."`
}

type putProject struct {
	ProjectInput

	Body ProjectWish
}

func (s *server) projectWrites(a huma.API) {
	handle(a, operation("get-project", http.MethodGet, "/projects/{name}", "projects", "A project"), s.getProject)
	made := change("create-project", http.MethodPost, "/projects", "projects", "Make a project")
	made.DefaultStatus = http.StatusCreated
	handle(a, made, s.createProject)
	handle(a, change("put-project", http.MethodPut, "/projects/{name}", "projects", "Change a project"), s.putProject)
	gone := change("delete-project", http.MethodDelete, "/projects/{name}", "projects", "Delete a project that no Application is in")
	gone.DefaultStatus = http.StatusNoContent
	handle(a, gone, s.deleteProject)
}

// ManagedBy tells what writes an object besides people; empty for nothing.
func ManagedBy(o metav1.Object) string {
	for _, owner := range o.GetOwnerReferences() {
		return owner.Kind + " " + owner.Name
	}
	if app, _, ok := strings.Cut(o.GetAnnotations()[v1alpha1.AnnotationTrackingID], ":"); ok {
		return "Application " + app
	}
	return ""
}

// project finds one that somebody may read.
func (s *server) project(ctx context.Context, name string) (*v1alpha1.AppProject, error) {
	all, err := s.Applications.Projects(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	p, err := s.reach.Project(ctx, all, name)
	return p, httpError(err)
}

func (s *server) getProject(ctx context.Context, in *struct {
	Name string `path:"name" maxLength:"253"`
},
) (*answer[*ProjectDetail], error) {
	p, err := s.project(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return s.detailed(ctx, p)
}

func (s *server) detailed(ctx context.Context, p *v1alpha1.AppProject) (*answer[*ProjectDetail], error) {
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	out := &ProjectDetail{Project: Project{Name: p.Name, Spec: p.Spec}, Version: p.ResourceVersion, ManagedBy: ManagedBy(p), Can: s.reach.Can(ctx, reach.Project("", p.Namespace, p.Name), "update", "delete")}
	for _, r := range s.Index.Now().Rows {
		if r.Project == p.Name && visible(r) {
			out.Applications++
		}
	}
	return &answer[*ProjectDetail]{out}, nil
}

func (s *server) createProject(ctx context.Context, in *struct{ Body ProjectWish }) (*answer[*ProjectDetail], error) {
	if err := s.reach.Permit(ctx, reach.Project("create", s.Namespace, in.Body.Name)); err != nil {
		return nil, httpError(err)
	}
	return s.writtenProject(ctx, nil, in.Body)
}

func (s *server) writtenProject(ctx context.Context, old *v1alpha1.AppProject, want ProjectWish) (*answer[*ProjectDetail], error) {
	p, err := s.ProjectWriter.Put(ctx, auth.From(ctx), old, want)
	if err != nil {
		return nil, httpError(err)
	}
	return s.detailed(ctx, p)
}

// mayProject finds what is to be changed, unless it is another version than the
// change was made for.
func (s *server) mayProject(ctx context.Context, in *ProjectInput, action string) (*v1alpha1.AppProject, error) {
	p, err := s.project(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	if err := s.reach.Permit(ctx, reach.Project(action, p.Namespace, p.Name)); err != nil {
		return nil, httpError(err)
	}
	return p, matches(in.IfMatch, p.ResourceVersion, "project "+p.Name)
}

func (s *server) putProject(ctx context.Context, in *putProject) (*answer[*ProjectDetail], error) {
	p, err := s.mayProject(ctx, &in.ProjectInput, "update")
	if err != nil {
		return nil, err
	}
	in.Body.Name = in.Name // projects are not renamed
	return s.writtenProject(ctx, p, in.Body)
}

func (s *server) deleteProject(ctx context.Context, in *ProjectInput) (*struct{}, error) {
	p, err := s.mayProject(ctx, in, "delete")
	if err != nil {
		return nil, err
	}
	if p.Name == v1alpha1.DefaultProject {
		return nil, httpError(gitops.Problemf(gitops.NotReady, "project %s stays: it is that of Applications which name none", p.Name).
			Do("change what it permits instead, so that nothing is deployed by it"))
	}
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	if users := usersOf(p, s.Namespace, s.Index.Now().Rows, visible); users != "" {
		return nil, httpError(gitops.Problemf(gitops.NotReady, "project %s is in use: it has %s", p.Name, users).Do("move or delete them first"))
	}
	return nil, httpError(s.ProjectWriter.Remove(ctx, auth.From(ctx), p))
}

// usersOf tells which Applications are in a project, for who may read some of
// them; empty where there are none. One of a namespace that the project does not list
// only says so.
func usersOf(project *v1alpha1.AppProject, control string, rows []*view.Row, visible func(*view.Row) bool) string {
	count, others := 0, false
	for _, r := range rows {
		switch {
		case r.Project != project.Name, policy.Namespace(project, r.Namespace, control) != nil:
		case visible(r):
			count++
		default:
			others = true
		}
	}
	switch {
	case count == 0 && !others:
		return ""
	case count == 0:
		return "applications that you may not read"
	case others:
		return gitops.Count(count, "application") + ", and others that you may not read"
	}
	return gitops.Count(count, "application")
}
