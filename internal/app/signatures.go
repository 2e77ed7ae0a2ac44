package app

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// verifier tells why what a reference resolved to is not signed as a rule says.
type verifier func(ctx context.Context, ref gitops.SourceRef, revision string, rule gitops.SignatureRule) error

// signed tells generators whether what they read is signed as projects ask for:
// by the rules of sources.
type signed struct {
	projects interface {
		Project(ctx context.Context, name string) (*v1alpha1.AppProject, error)
	}
	verify verifier
}

// Signed implements generate.Signatures.
func (s signed) Signed(ctx context.Context, project string, ref gitops.SourceRef, revision string) error {
	p, err := s.projects.Project(ctx, project)
	if err != nil {
		return err
	}
	rule, err := policy.Signatures(p, &v1alpha1.ApplicationSource{RepoURL: ref.RepoURL, TargetRevision: ref.Revision})
	if err != nil || rule == nil {
		return err
	}
	return s.verify(ctx, ref, revision, *rule)
}
