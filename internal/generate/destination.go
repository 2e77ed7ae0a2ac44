package generate

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// places are the clusters that a destination can mean, by their servers in
// the one form and by their names.
type places struct {
	byServer, byName map[string][]gitops.Cluster
}

// destinations returns the places of the fleet, made once a run.
func (r *run) destinations() (*places, error) {
	if r.places != nil {
		return r.places, nil
	}
	fleet, err := r.clusterList()
	if err != nil {
		return nil, err
	}
	out := &places{byServer: map[string][]gitops.Cluster{}, byName: map[string][]gitops.Cluster{}}
	for _, c := range fleet {
		key := gitops.ServerKey(c.Server)
		out.byServer[key] = append(out.byServer[key], c)
		if !c.Misnamed() {
			out.byName[c.Name] = append(out.byName[c.Name], c)
		}
	}
	r.places = out
	return out, nil
}

// check tells what is wrong with a destination, unless it means exactly one cluster.
func (p *places) check(d v1alpha1.ApplicationDestination) error {
	switch {
	case d.Name != "" && d.Server != "":
		return problemf(gitops.Invalid, "the destination has both name %q and server %q", d.Name, d.Server).Do("keep one of them")
	case d.Server != "":
		return one("server", d.Server, p.byServer[gitops.ServerKey(d.Server)], gitops.IsHub(d.Server))
	case d.Name != "":
		return one("name", d.Name, p.byName[d.Name], d.Name == gitops.HubName)
	default:
		return problemf(gitops.Invalid, "the destination has neither name nor server").Do("set one of them")
	}
}

// one tells why what was found is not exactly one cluster. The hub is always
// known, by its address and its usual name, whatever its Secret says.
func one(field, value string, found []gitops.Cluster, hub bool) error {
	found = gitops.Deciding(found, gitops.Described)
	switch {
	case len(found) > 1:
		return problemf(gitops.Invalid, "several cluster Secrets have the %s %q", word(field), value).Do(gitops.Ambiguous(field, value).Fix)
	case len(found) == 1 || hub:
		return nil
	}
	return problemf(gitops.NotFound, "no cluster has the %s %q", word(field), value).Do("add a cluster Secret for it, or correct the destination")
}
