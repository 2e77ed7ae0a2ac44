package estate

import (
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// Count implements api.Repositories.
func (*Repositories) Count(all, used []api.Repository) (others []api.Repository) {
	known, at := catalogueOf(all), map[string]int{}
	for i := range used {
		u := &used[i]
		place, ok := access.PlaceOf(u.URL)
		if !ok || known.count(place, u.Applications) {
			continue
		}
		n, listed := at[place.Key()]
		if !listed {
			n = len(others)
			at[place.Key()] = n
			others = append(others, api.Repository{RepositoryFields: api.RepositoryFields{URL: gitops.PublicAddress(u.URL), Type: u.Type}, Used: true, Credentials: []string{}})
		}
		others[n].Applications += u.Applications
	}
	return others
}

// catalogue finds repositories by the addresses that Applications have of them.
type catalogue struct {
	exact map[string][]*api.Repository
	// wide are those that many addresses are of: templates, and what charts are in.
	wide []wide
}

type wide struct {
	access.Place

	of *api.Repository
}

func catalogueOf(all []api.Repository) *catalogue {
	c := &catalogue{exact: map[string][]*api.Repository{}}
	for i := range all {
		r := &all[i]
		place, ok := access.PlaceOf(r.Written)
		switch {
		case !ok:
		case r.Template || r.Type == "helm" || r.Type == "oci":
			c.wide = append(c.wide, wide{place, r})
		default:
			c.exact[place.Key()] = append(c.exact[place.Key()], r)
		}
	}
	return c
}

// count counts Applications at an address, and reports whether a repository is
// there: a template is for many, and none of them.
func (c *catalogue) count(used access.Place, times int) (is bool) {
	for _, r := range c.exact[used.Key()] {
		r.Applications += times
		is = true
	}
	for _, w := range c.wide {
		switch {
		case w.of.Template && w.Covers(used):
			w.of.Applications += times
		case !w.of.Template && w.Holds(w.of.Type, used):
			w.of.Applications += times
			is = true
		}
	}
	return is
}
