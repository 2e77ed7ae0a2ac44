package app

import (
	"cmp"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/lookup"
)

// newGenerator makes the generate stage with all that generators may ask.
func (e *Engine) newGenerator() *generate.Generator {
	reader := e.manager.GetAPIReader()
	open := lookup.Open(lookup.Options{Reader: reader, Known: e.access, Hosts: e.cfg.GitHosts, None: e.cfg.NoHosts, Allowed: e.cfg.AllowedHosts})
	e.hosts = lookup.NewHosts(open, cmp.Or(e.cfg.Pauses.Flood, wake.FloodPause))
	e.hosts.Elected = e.manager.Elected()
	options := []generate.Option{
		generate.WithSettings(lookup.Settings{Reader: reader}),
		generate.WithResources(lookup.Objects{Reader: reader, Kinds: e.manager.GetRESTMapper()}),
		generate.WithHosts(e.hosts),
		generate.WithRules(e.destinations()),
		generate.WithSignatures(hub.Signed{Projects: e.projects(), Verify: e.sources.Verify}),
		generate.WithRoom(e.room),
	}
	if e.cfg.doublestarFiles {
		options = append(options, generate.WithDoublestarFiles())
	}
	// Who writes a set is an operator, and reads by it what is open to all projects
	// and to that of its template, as in Argo CD: the rules of that project are asked
	// only about addresses that others say.
	return generate.New(e.clusters, e.sources, e.stored(), options...)
}

// lookAnew forgets what is known of the outside world that a set reads: Git
// hosts are asked again, unless they just were, and repositories looked up.
func (e *Engine) lookAnew(set types.NamespacedName) {
	reads := e.router.Readers.Of(set)
	e.hosts.Want(set.Namespace, reads)
	for _, ref := range reads.Repos {
		e.sources.Renew(ref)
	}
}
