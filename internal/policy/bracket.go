package policy

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// hostForm is the host of a pattern in the form that hosts of addresses have, as
// far as its wildcards let it, and its port.
func hostForm(authority string) (host, port string) {
	authority = strings.ToLower(authority)
	inside, after, is := gitops.CutBrackets(authority)
	if !is {
		host, port = address.SplitPort(authority)
		return strings.TrimSuffix(host, "."), address.PlainPort(port)
	}
	host = gitops.HostKey(inside)
	if strings.Contains(host, ":") {
		host = `\[` + host + `\]`
	}
	rest, port := address.SplitPort(after)
	return host + rest, address.PlainPort(port)
}
