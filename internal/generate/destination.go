package generate

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// places are the clusters that a destination can mean.
type places struct {
	servers map[string]bool
	byName  map[string][]string
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
	out := &places{servers: map[string]bool{gitops.HubServer: true}, byName: map[string][]string{}}
	for _, c := range fleet {
		out.servers[strings.TrimRight(c.Server, "/")] = true
		out.byName[c.Name] = append(out.byName[c.Name], c.Server)
	}
	r.places = out
	return out, nil
}

// check tells what is wrong with a destination, unless it means exactly one cluster.
func (p *places) check(d v1alpha1.ApplicationDestination) error {
	switch {
	case d.Name != "" && d.Server != "":
		return gitops.Problemf(gitops.Invalid, "the destination has both name %q and server %q", d.Name, d.Server).Do("keep one of them")
	case d.Server != "":
		return p.checkServer(d.TrimmedServer())
	case d.Name != "":
		return p.checkName(d.Name)
	default:
		return gitops.Problemf(gitops.Invalid, "the destination has neither name nor server").Do("set one of them")
	}
}

func (p *places) checkServer(server string) error {
	if p.servers[server] {
		return nil
	}
	return gitops.Problemf(gitops.NotFound, "no cluster has the server %q", server).Do("add a cluster Secret for it, or correct the destination")
}

// checkName always knows the hub by its default name, whatever its Secret says.
func (p *places) checkName(name string) error {
	servers := p.byName[name]
	if len(servers) > 1 {
		return gitops.Problemf(gitops.Invalid, "%d clusters have the name %q: %s", len(servers), name, strings.Join(servers, ", ")).
			Do("give them different names, or use the server")
	}
	if len(servers) == 1 || name == gitops.HubName {
		return nil
	}
	return gitops.Problemf(gitops.NotFound, "no cluster has the name %q", name).Do("add a cluster Secret for it, or correct the destination")
}
