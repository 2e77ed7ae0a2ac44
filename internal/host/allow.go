package host

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/glob"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// allow refuses an address that the operator has not allowed: who writes a
// generator would have the namespace's token sent there. A host's own
// address, which is not written, is always allowed, as in Argo CD.
func (c caller) allow(api string) error {
	if api == "" {
		return nil
	}
	u, err := wire.Address(api)
	if err != nil {
		return err
	}
	if len(c.AllowedHosts) == 0 {
		return nil
	}
	for _, pattern := range c.AllowedHosts {
		address := plain(u.String())
		if !strings.Contains(pattern, "://") {
			address = plain(u.Host)
		}
		g, err := glob.Compile(gitops.QuoteHost(plain(pattern)), '/')
		if err != nil {
			return gitops.Problemf(gitops.Invalid, "cannot check the address of the Git host: %q is no pattern", pattern).Do("correct the allowed hosts in the configuration")
		}
		if g.Match(address) {
			return nil
		}
	}
	return gitops.Problemf(gitops.Forbidden, "the Git host %s is not allowed, only %s", u, strings.Join(c.AllowedHosts, ", ")).Do("use one of those, or let the operator allow it")
}

// plain is an address to compare: a slash at its end and the case of a host
// make no difference.
func plain(address string) string { return strings.ToLower(strings.TrimRight(address, "/")) }
