package source

import (
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/source/address"
)

// State is how the last look-up of a repository in use went.
type State struct {
	// Looked is when it ended; zero while none has.
	Looked time.Time
	// Err is why it failed; a Problem without secrets.
	Err error
}

// State tells of the last look-up of a repository, in whatever form its address
// is written, of those that were made for some projects: others have repositories
// of one address, and charts below it, of which these are to know nothing. Where
// several credentials are in use for it, a failure counts. False is for one that is
// not in use by them.
func (r *Registry) State(repoURL string, of func(project string) bool) (State, bool) {
	name, found, out := address.Name(repoURL), false, State{}
	for _, p := range r.all() {
		if !p.under(name) || !slices.ContainsFunc(p.projects(), func(project string) bool { return of(project) && (project != "" || p.matches(name)) }) {
			continue
		}
		p.mu.Lock()
		s := State{Looked: p.looked, Err: p.err}
		asked := p.asked
		p.mu.Unlock()
		if !asked {
			continue
		}
		if !found || out.Err == nil && (s.Err != nil || s.Looked.After(out.Looked)) {
			out = s
		}
		found = true
	}
	return out, found
}

// under reports whether the repository has a name, or is a chart below it.
func (p *repo) under(name string) bool {
	return p.matches(name) || strings.HasPrefix(p.key, "oci ") && strings.HasPrefix(strings.ToLower(p.name)+"/", strings.ToLower(name)+"/")
}
