package lookup

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Options say which Git hosts may be asked, and how.
type Options struct {
	// Reader reads Secrets and ConfigMaps past any cache.
	Reader client.Reader
	// Known has the certificates of servers.
	Known *source.Credentials
	// Hosts are used instead of their own APIs when they are set.
	Hosts generate.Hosts
	// None refuses all.
	None bool
	// Allowed are globs for the addresses that generators may name; empty allows all.
	Allowed []string
}

// Open is what opens Git hosts, if they may be asked, with the certificates that
// are known for them.
func Open(o Options) generate.Hosts {
	if o.None {
		return noHosts{}
	}
	if o.Hosts != nil {
		return o.Hosts
	}
	certificates := func(api string) string {
		found, _ := o.Known.For(api, "")
		return found.CA
	}
	return newGitHosts(Settings{Reader: o.Reader}, certificates, o.Allowed)
}
