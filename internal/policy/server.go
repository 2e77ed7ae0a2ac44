package policy

import (
	"strings"
	"sync"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// matchServer is matchDeny for addresses of servers. What an entry permits it
// permits as it is written, as in Argo CD; what it denies it denies however the
// server is spelled.
func matchServer(pattern, server string) bool {
	if rest, deny := strings.CutPrefix(pattern, "!"); deny {
		return !isServer(rest, server, matchAny)
	}
	return matchDeny(pattern, server, 0)
}

// isServer matches an address as it is written, and in its one form: how a
// Secret or an Application spells a server takes no rule off it.
func isServer(pattern, server string, matches matcher) bool {
	return matches(pattern, server, 0) || matches(patternForm(pattern), gitops.ServerKey(server), 0)
}

// forms keeps what patterns become, which are those of projects: the same few
// are matched for every object.
var forms sync.Map // of string to string

// patternForm brings a pattern to the form of addresses, as far as its
// wildcards let it: no capitals in the host, no port that goes without saying,
// no slash at the end.
func patternForm(pattern string) string {
	if known, ok := forms.Load(pattern); ok {
		text, _ := known.(string)
		return text
	}
	text := gitops.ServerKey(pattern)
	if strings.ContainsAny(pattern, `*?[]{}\`) {
		text = openForm(pattern)
	}
	forms.Store(pattern, text)
	return text
}

// openForm is the form of a pattern with wildcards, which is no address.
func openForm(pattern string) string {
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok {
		return pattern
	}
	scheme = strings.ToLower(scheme)
	host, path, below := strings.Cut(strings.TrimRight(rest, "/"), "/")
	host = strings.ToLower(host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	if below {
		host += "/" + path
	}
	return scheme + "://" + host
}
