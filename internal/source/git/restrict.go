package git

import (
	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// restrict has git speak to public hosts alone, where a credential says so: git
// resolves names and follows redirects by itself, so a proxy connects for it.
// One that the environment names does that as well, and for all redirects.
func (s *session) restrict(at address.Address, cred access.Credential, dial egress.Dialer) error {
	if !cred.OnlyPublic {
		return nil
	}
	via, err := egress.Proxied(at.String())
	if err == nil && via == nil {
		if s.guard, err = egress.Listen(dial); err == nil {
			via = s.guard.URL()
		}
	}
	if err != nil {
		return gitops.Problemf(gitops.Unreachable, "cannot keep git to public hosts: %w", err).Do("correct HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY of the engine's environment, or retry")
	}
	s.set("http.proxy", via.String()) // it counts before those of the environment
	s.env = append(s.env, "NO_PROXY=", "no_proxy=")
	return nil
}

// refused is why git was not connected; nil where that was not the reason.
func (s *session) refused() error {
	if s.guard == nil {
		return nil
	}
	if refusal := s.guard.Refusal(); refusal != nil {
		return &failure{err: refusal}
	}
	return nil
}
