package hub

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// Verifier tells why what a reference resolved to is not signed as a rule says.
type Verifier func(ctx context.Context, ref gitops.SourceRef, revision string, rule gitops.SignatureRule) error

// Signed tells generators whether what they read is signed as projects ask for:
// by the rules of sources.
type Signed struct {
	Projects interface {
		Project(ctx context.Context, name string) (*v1alpha1.AppProject, error)
	}
	Verify Verifier
}

// Signed implements generate.Signatures.
func (s Signed) Signed(ctx context.Context, project string, ref gitops.SourceRef, revision string) error {
	p, err := s.Projects.Project(ctx, project)
	if err != nil {
		return err
	}
	rule, err := policy.Signatures(p, &v1alpha1.ApplicationSource{RepoURL: ref.RepoURL, TargetRevision: ref.Revision})
	if err != nil || rule == nil {
		return err
	}
	return s.Verify(ctx, ref, revision, *rule)
}
