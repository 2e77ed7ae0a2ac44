package generate

import (
	"context"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Signatures check what generators read of Git.
type Signatures interface {
	// Signed returns why a revision that a reference gave is not signed as a
	// project asks for; nil where it is, or need not be.
	Signed(ctx context.Context, project string, ref gitops.SourceRef, revision string) error
}

// WithSignatures has a set use what its generators read of Git only where that
// is signed as the project of its Applications asks for.
func WithSignatures(s Signatures) Option { return func(g *Generator) { g.signatures = s } }

// trust tells which projects take what generators read, each once.
type trust struct {
	signatures Signatures
	literals   *literals
	projects   Projects
	read       []revision
	unsigned   map[string]error
}

// revision is what a reference gave.
type revision struct {
	ref gitops.SourceRef
	is  string
}

func newTrust(g *Generator, l *literals) *trust {
	return &trust{signatures: g.signatures, literals: l, projects: g.projects, unsigned: map[string]error{}}
}

// signed tells why a project does not take what a reference gave.
func (t *trust) signed(ctx context.Context, project string, of revision) error {
	if t.signatures == nil || project == "" {
		return nil
	}
	return t.signatures.Signed(ctx, project, of.ref, of.is)
}

// takes tells why a project does not take what generators read. For that of the
// set's own template it was found out before anything was read.
func (t *trust) takes(ctx context.Context, project string) error {
	if why, ok := t.unsigned[project]; ok {
		return why
	}
	why := t.refusal(ctx, project)
	t.unsigned[project] = why
	return why
}

// refusal is what takes finds out. A project that is not there asks for nothing.
func (t *trust) refusal(ctx context.Context, project string) error {
	if t.signatures == nil || len(t.read) == 0 {
		return nil
	}
	there, err := t.projects.HasProject(ctx, project)
	if err != nil {
		return unreachable(errorf("cannot look up project %q: %w", project, err))
	}
	if !there {
		return nil
	}
	for _, of := range t.read {
		if of.ref.Project == project {
			continue
		}
		if err := t.signed(ctx, project, of); err != nil {
			return t.literals.about(err, of.ref.RepoURL, of.ref.Revision, project)
		}
	}
	return nil
}

// mistrusted is the problem of an Application whose project does not take what
// the generators read. The error is that it cannot be told.
func (t *trust) mistrusted(ctx context.Context, project string) (problem, err error) {
	why := t.takes(ctx, project)
	if gitops.IsProblem(why, gitops.Forbidden) {
		return why, nil
	}
	return nil, why
}

// Withhold rejects what would become of live Applications whose own projects do not
// take what the generators read: who may push without a key could otherwise move them
// to a project that asks for none, or have them deleted.
func (e *Expansion) Withhold(ctx context.Context, live []v1alpha1.Application) error {
	if e.trust == nil || e.trust.signatures == nil {
		return nil
	}
	withheld := map[string]bool{}
	for _, r := range e.Rejected {
		withheld[r.Name] = true
	}
	for i := range live {
		project := live[i].Spec.GetProject()
		problem, err := e.trust.mistrusted(ctx, project)
		if err != nil {
			return err
		}
		if problem == nil || withheld[live[i].Name] {
			continue
		}
		withheld[live[i].Name] = true
		if !slices.Contains(e.Reads.Projects, project) {
			e.Reads.Projects = append(slices.Clip(e.Reads.Projects), project) // when it asks for less, they change
		}
		r := Rejected{Name: live[i].Name, By: ByValidation, Err: errorf("cannot change Application %s, which is of project %q: %w", live[i].Name, project, problem)}
		if e.Reads.Clusters {
			r.Bare = e.trust.literals.bare(r.Err)
		}
		e.Rejected = append(e.Rejected, r)
	}
	e.drop(withheld)
	return nil
}

// drop takes Applications away.
func (e *Expansion) drop(names map[string]bool) {
	left := 0
	for i := range e.Applications {
		if names[e.Applications[i].Name] {
			continue
		}
		e.Applications[left], e.Of[left] = e.Applications[i], e.Of[i]
		if e.Params != nil {
			e.Params[left] = e.Params[i]
		}
		left++
	}
	e.Applications, e.Of = e.Applications[:left], e.Of[:left]
	if e.Params != nil {
		e.Params = e.Params[:left]
	}
	slices.SortFunc(e.Rejected, byRejectedName)
}
