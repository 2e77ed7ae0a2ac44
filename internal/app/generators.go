package app

import (
	"cmp"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/lookup"
	"github.com/causeway-gitops/causeway/internal/source"
)

// newGenerator makes the generate stage with all that generators may ask.
func (e *Engine) newGenerator() *generate.Generator {
	reader := e.manager.GetAPIReader()
	e.hosts = lookup.NewHosts(e.cfg.opener(reader, e.access), cmp.Or(e.cfg.Pauses.Flood, wake.FloodPause))
	e.hosts.Elected = e.manager.Elected()
	options := []generate.Option{
		generate.WithSettings(lookup.Settings{Reader: reader}),
		generate.WithResources(lookup.Objects{Reader: reader, Kinds: e.manager.GetRESTMapper()}),
		generate.WithHosts(e.hosts),
		generate.WithRules(e.destinations()),
		generate.WithSignatures(hub.Signed{Projects: e.projects(), Verify: e.sources.Verify}),
		generate.WithRoom(e.room),
	}
	// Who writes a set is an operator, and reads by it what is open to all projects
	// and to that of its template, as in Argo CD: no rules of a project are asked.
	return generate.New(e.clusters, e.sources, e.stored(), options...)
}

// lookAnew forgets what is known of the outside world that a set reads: Git
// hosts are asked again, unless they just were, and repositories looked up.
func (e *Engine) lookAnew(set types.NamespacedName) {
	reads := e.router.readers.Of(set)
	e.hosts.Want(set.Namespace, reads)
	for _, ref := range reads.Repos {
		e.sources.Renew(ref)
	}
}

// opener is what opens Git hosts, if they may be asked, with the certificates that
// are known for them.
func (c *Config) opener(reader client.Reader, known *source.Credentials) generate.Hosts {
	return lookup.Open(lookup.Options{Reader: reader, Known: known, Hosts: c.GitHosts, None: c.NoHosts, Allowed: c.AllowedHosts})
}
