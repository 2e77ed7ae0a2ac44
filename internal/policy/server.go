package policy

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// matchServer is matchDeny for addresses of servers. What an entry permits it
// permits as it is written, as in Argo CD; what it denies it denies however the
// server is spelled.
func matchServer(pattern, server string) bool {
	if rest, deny := strings.CutPrefix(pattern, "!"); deny {
		return !isServer(rest, server, matchAny)
	}
	return matchDeny(serverOf(pattern).written, server)
}

// isServer matches an address as it is written, and in its one form: how a
// Secret or an Application spells a server takes no rule off it.
func isServer(pattern, server string, matches matcher) bool {
	p := serverOf(pattern)
	return matches(p.written, server, 0) || matches(p.form, gitops.ServerKey(server), 0)
}

// serverPattern is a pattern for addresses of servers.
type serverPattern struct {
	// written is the pattern for addresses as they are written, form the one for
	// their one form.
	written, form string
}

var servers = newMemo(readServer, length)

func serverOf(pattern string) serverPattern { return servers.of(pattern) }

// readable reports whether a pattern says which servers it means.
func (p serverPattern) readable() bool { return !broken(p.written) && !broken(p.form) }

// readServer brings a pattern to the form of addresses, as far as its wildcards
// let it: no capitals in the host, no port that goes without saying, no slash at
// the end.
func readServer(pattern string) serverPattern {
	p := serverPattern{gitops.QuoteHost(pattern), gitops.ServerKey(pattern)}
	if strings.ContainsAny(pattern, `*?[]{}\`) {
		p.form = openForm(pattern)
	}
	return p
}

// openForm is the form of a pattern with wildcards, which is no address.
func openForm(pattern string) string {
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok {
		return pattern
	}
	scheme = strings.ToLower(scheme)
	authority, path, below := strings.Cut(strings.TrimRight(rest, "/"), "/")
	host, port := hostForm(authority)
	if port != "" && port != gitops.UsualPort(scheme) {
		host += ":" + port
	}
	if below {
		host += "/" + path
	}
	return scheme + "://" + host
}
