package generate

import (
	"context"
	"errors"

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

// signed tells why a project does not take what a reference gave.
func (r *run) signed(project string, ref gitops.SourceRef, revision string) error {
	if r.signatures == nil || project == "" {
		return nil
	}
	return r.signatures.Signed(r.ctx, project, ref, revision)
}

// signedFor tells why a project does not take what generators read, once a run
// and project. For that of the set's own template it was found out before
// anything was read.
func (r *run) signedFor(project string) error {
	if why, ok := r.unsigned[project]; ok {
		return why
	}
	var why error
	for _, ref := range r.order {
		repo := r.repos[ref]
		if repo == nil || ref.Project == project {
			continue
		}
		if why = r.signed(project, ref, repo.Revision); why != nil {
			break
		}
	}
	r.unsigned[project] = why
	return why
}

// mistrusted is the problem of an Application whose project does not take what
// the generators read. The error is that it cannot be told.
func (r *run) mistrusted(project string) (problem, err error) {
	why := r.signedFor(project)
	var p *gitops.Problem
	if errors.As(why, &p) && p.Kind == gitops.Forbidden {
		return why, nil
	}
	return nil, why
}
