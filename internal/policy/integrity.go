package policy

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Signatures tells how a source has to be signed; nil when it need not be.
// spec.sourceIntegrity counts before the older spec.signatureKeys, which asks
// it of every source, so that those which cannot be signed are refused.
func Signatures(p *v1alpha1.AppProject, s *v1alpha1.ApplicationSource) (*gitops.SignatureRule, error) {
	if p.Spec.SourceIntegrity != nil {
		return integrity(p, s)
	}
	if len(p.Spec.SignatureKeys) == 0 {
		return nil, nil //nolint:nilnil // no rule
	}
	if s.Chart != "" || s.IsOCI() {
		return nil, denied("cannot use %s: project %q asks for signatures, which are checked in Git repositories alone", gitops.PublicAddress(s.RepoURL), p.Name).
			Do("use a Git repository or another project, or spec.sourceIntegrity, which names repositories")
	}
	rule := &gitops.SignatureRule{}
	for _, key := range p.Spec.SignatureKeys {
		rule.Keys = append(rule.Keys, key.KeyID)
	}
	return rule, nil
}

// integrity is the rule of spec.sourceIntegrity for a source: that of the one
// policy whose repositories match.
func integrity(p *v1alpha1.AppProject, s *v1alpha1.ApplicationSource) (*gitops.SignatureRule, error) {
	if p.Spec.SourceIntegrity.Git == nil || s.Chart != "" || s.IsOCI() {
		return nil, nil //nolint:nilnil // no rule
	}
	if text := unreadable(p.Spec.SourceIntegrity.Git); text != "" {
		return nil, denied("cannot use repository %s: nobody can read the pattern %q in spec.sourceIntegrity.git of project %q", gitops.PublicAddress(s.RepoURL), text, p.Name).
			Do("correct it: it may be meant for this repository")
	}
	found, excepted := policiesOf(p.Spec.SourceIntegrity.Git, s.RepoURL)
	if len(found) > 1 {
		return nil, denied("cannot use repository %s: %d policies of spec.sourceIntegrity.git of project %q match it", gitops.PublicAddress(s.RepoURL), len(found), p.Name).
			Do(`take it out of all but one, with "!" before the address`)
	}
	if len(found) == 0 && !excepted {
		return nil, denied("cannot use repository %s: project %q has rules for signatures, and none is for it", gitops.PublicAddress(s.RepoURL), p.Name).
			Do("add it to a policy of spec.sourceIntegrity.git; one with mode none asks for no signature")
	}
	if len(found) == 0 || found[0].GPG == nil {
		return nil, nil //nolint:nilnil // no rule
	}
	gpg := found[0].GPG
	switch gpg.Mode {
	case v1alpha1.SourceIntegrityGitPolicyGPGModeNone:
		return nil, nil //nolint:nilnil // no rule
	case v1alpha1.SourceIntegrityGitPolicyGPGModeHead, v1alpha1.SourceIntegrityGitPolicyGPGModeStrict:
		return &gitops.SignatureRule{Keys: gpg.Keys, History: gpg.Mode == v1alpha1.SourceIntegrityGitPolicyGPGModeStrict}, nil
	}
	return nil, denied("cannot use repository %s: spec.sourceIntegrity of project %q has the unknown mode %q", gitops.PublicAddress(s.RepoURL), p.Name, gpg.Mode).
		Do("write none, head or strict")
}

// policiesOf are the policies for a repository: those that mean it as it is
// reached, else those that mean it by another scheme. excepted reports that one
// leaves it out by name.
func policiesOf(git *v1alpha1.SourceIntegrityGit, repoURL string) (found []*v1alpha1.SourceIntegrityGitPolicy, excepted bool) {
	repo, err := repositoryOf(repoURL)
	if err != nil {
		return nil, false
	}
	var otherwise []*v1alpha1.SourceIntegrityGitPolicy
	for _, policy := range git.Policies {
		switch {
		case policy == nil:
		case leavesOut(policy.Repos, repo):
			excepted = true
		case slices.ContainsFunc(policy.Repos, func(r v1alpha1.SourceIntegrityGitPolicyRepo) bool { return patternOf(r.URL).covers(repo) }):
			found = append(found, policy)
		case slices.ContainsFunc(policy.Repos, func(r v1alpha1.SourceIntegrityGitPolicyRepo) bool { return patternOf(r.URL).concerns(repo, 0) }):
			otherwise = append(otherwise, policy)
		}
	}
	if len(found) == 0 {
		found = otherwise
	}
	return found, excepted
}

// unreadable is the first pattern that nobody can read; empty where there is none.
func unreadable(git *v1alpha1.SourceIntegrityGit) string {
	for _, policy := range git.Policies {
		if policy == nil {
			continue
		}
		for _, r := range policy.Repos {
			if !patternOf(strings.TrimPrefix(r.URL, "!")).readable() {
				return r.URL
			}
		}
	}
	return ""
}

func leavesOut(repos []v1alpha1.SourceIntegrityGitPolicyRepo, repo repository) bool {
	for _, r := range repos {
		if text, deny := strings.CutPrefix(r.URL, "!"); deny && patternOf(text).covers(repo) {
			return true
		}
	}
	return false
}
