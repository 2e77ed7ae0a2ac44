package rbac

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Projects finds the AppProject that a request is about.
type Projects interface {
	// Project returns the AppProject of a name, nil if there is none. It is asked for each request, so it answers from
	// memory; what it returned is not changed afterwards without another resourceVersion.
	Project(name string) *v1alpha1.AppProject
}

// projectKey is a project as it was read. One without resourceVersion is read each time.
type projectKey struct {
	name    string
	uid     types.UID
	version string
}

// project finds what a request is about: the project that its object begins with, or that it names.
func project(projects Projects, r Request) *v1alpha1.AppProject {
	name := ""
	switch r.Resource {
	case "applications", "applicationsets", "repositories", "clusters", "logs", "exec":
		if before, _, within := strings.Cut(r.Object, "/"); within {
			name = before
		}
	case "projects":
		name = r.Object
	}
	if name == "" || projects == nil {
		return nil
	}
	return projects.Project(name)
}

// scope is the policy for requests about a project.
func (p *Policy) scope(of *v1alpha1.AppProject) *scope {
	if of == nil || len(of.Spec.Roles) == 0 {
		return p.everyone
	}
	key := projectKey{of.Name, of.UID, of.ResourceVersion}
	if known, ok := p.projects.Get(key); ok {
		return known
	}
	s, size := p.readRoles(of)
	s.of = key
	if s.kept() {
		p.projects.Put(key, s, size)
	}
	return s
}

// readRoles reads the roles of a project, and estimates how many bytes that takes. If one line cannot be read, none counts.
func (p *Policy) readRoles(of *v1alpha1.AppProject) (*scope, int64) {
	const perLine, perByte = 512, 2
	r := newReader(p.mode)
	for i := range of.Spec.Roles {
		if err := r.role(of.Name, &of.Spec.Roles[i]); err != nil {
			dropped := fmt.Errorf("the roles of project %s are not used until this is mended: %w", of.Name, err)
			return &scope{base: p.everyone, dropped: dropped}, perLine
		}
	}
	r.base, r.own = p.everyone, r.lines
	return r.scope, int64(perLine*(r.lines+1) + perByte*r.bytes)
}

// role reads one role: that it may see its project, its policies, and who has it.
func (r *reader) role(project string, role *v1alpha1.ProjectRole) error {
	subject := "proj:" + project + ":" + role.Name
	name := "role " + role.Name
	if err := r.text(name, fmt.Sprintf("p, %s, projects, get, %s, allow", subject, project)); err != nil {
		return err
	}
	for i, policy := range role.Policies {
		if err := r.text(fmt.Sprintf("%s, policies[%d]", name, i), policy); err != nil {
			return err
		}
	}
	for i, group := range role.Groups {
		if err := r.text(fmt.Sprintf("%s, groups[%d]", name, i), fmt.Sprintf("g, %s, %s", group, subject)); err != nil {
			return err
		}
	}
	return nil
}

// roleOf tells which project a subject such as proj:team:ci is a role of.
func roleOf(subject string) (project string, is bool) {
	parts := strings.Split(subject, ":")
	if len(parts) != 3 || parts[0] != "proj" {
		return "", false
	}
	return parts[1], true
}
