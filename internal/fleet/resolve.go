package fleet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/rest"

	v1alpha1 "github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Resolve finds the cluster that a destination names, by name or by server.
func (f *Fleet) Resolve(dest v1alpha1.ApplicationDestination) (*Cluster, error) {
	switch {
	case dest.Name != "" && dest.Server != "":
		return nil, gitops.Problemf(gitops.Invalid, "the destination has both name %q and server %q", dest.Name, dest.Server).
			Do("remove one of destination.name and destination.server")
	case dest.Name != "":
		return f.byName(dest.Name)
	case dest.Server != "":
		return f.byServer(dest.Server)
	}
	return nil, gitops.Problemf(gitops.Invalid, "the destination names no cluster").
		Do("set destination.name or destination.server")
}

// Meant describes the clusters that a destination may mean: one that cannot be
// used as well, and several where nobody could tell which one counts.
func (f *Fleet) Meant(dest v1alpha1.ApplicationDestination) []gitops.Cluster {
	if (dest.Name == "") == (dest.Server == "") {
		return nil
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	found := f.index.byServer[gitops.ServerKey(dest.Server)]
	if dest.Name != "" {
		found = f.index.byName[dest.Name]
	}
	if len(found) == 0 && dest.Name == gitops.HubName {
		found = []*Cluster{f.hub}
	}
	return described(gitops.Deciding(found, (*Cluster).Desc))
}

// OfNobody describes the clusters that belong to no project, by name: everybody
// may know of these.
func (f *Fleet) OfNobody() []gitops.Cluster {
	return slices.DeleteFunc(f.Clusters(), func(d gitops.Cluster) bool { return d.Project != "" })
}

// Connected returns the cluster of a Secret if the fleet reaches it already as
// that Secret says; false while it knows another state of it, or none.
func (f *Fleet) Connected(d gitops.Cluster, cfg *rest.Config) (*Cluster, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if cfg == nil {
		return f.hub, f.hub.Desc().Secret == d.Secret
	}
	c := f.spokes[d.Secret]
	return c, c != nil && (c.broken != nil || c.serves(d, cfg))
}

// At describes the clusters that have an address, by name: several Secrets may
// describe one.
func (f *Fleet) At(server string) []gitops.Cluster {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return described(f.index.byServer[gitops.ServerKey(server)])
}

// Of describes the cluster of a Secret; false while there is none.
func (f *Fleet) Of(secret string) (gitops.Cluster, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if c := f.spokes[secret]; c != nil {
		return c.Desc(), true
	}
	hub := f.hub.Desc()
	return hub, secret != "" && hub.Secret == secret
}

// Clashes tells what the Secret of a cluster shares with other Secrets.
func (f *Fleet) Clashes(d gitops.Cluster) []gitops.Clash {
	f.mu.RLock()
	members := slices.Concat(f.index.byName[d.Name], f.index.byServer[gitops.ServerKey(d.Server)])
	f.mu.RUnlock()
	all := described(members)
	slices.SortFunc(all, gitops.Rank)
	all = slices.CompactFunc(all, func(a, b gitops.Cluster) bool { return a.Secret == b.Secret })
	return slices.DeleteFunc(gitops.Clashes(all), func(c gitops.Clash) bool { return !slices.Contains(c.Secrets, d.Secret) })
}

func (f *Fleet) byName(name string) (*Cluster, error) {
	f.mu.RLock()
	found := f.index.byName[name]
	f.mu.RUnlock()
	if len(found) == 0 && name == gitops.HubName {
		return f.Hub(), nil
	}
	return f.one("name", name, found, func(d gitops.Cluster) string { return d.Name })
}

// byServer refuses a server that several Secrets describe. Argo CD takes one
// of them by chance; but whoever may add a Secret could then have what goes to
// a cluster sent elsewhere. A destination by name says which one is meant, and
// is not concerned: it leads where its own Secret says.
func (f *Fleet) byServer(server string) (*Cluster, error) {
	f.mu.RLock()
	found := f.index.byServer[gitops.ServerKey(server)]
	f.mu.RUnlock()
	return f.one("server", server, found, func(d gitops.Cluster) string { return d.Server })
}

// one is the only cluster that counts of those that were found.
func (f *Fleet) one(field, value string, found []*Cluster, of func(gitops.Cluster) string) (*Cluster, error) {
	switch found = gitops.Deciding(found, (*Cluster).Desc); len(found) {
	case 0:
		return nil, f.unknown(field, value, of)
	case 1:
		return found[0].usable()
	}
	return nil, gitops.Ambiguous(field, value)
}

// maxSuggestions is how many near names an error tells.
const maxSuggestions = 3

// unknown tells, to whom that is shown, the clusters that may have been meant.
func (f *Fleet) unknown(field, want string, of func(gitops.Cluster) string) error {
	p := gitops.Problemf(gitops.NotFound, "no cluster has the %s %q", field, want).
		Do(fmt.Sprintf("add a cluster Secret with data.%s %q", field, want))
	p.Near = sync.OnceValue(func() string { return f.near(want, of) })
	return p
}

// near names the clusters that are called most like one, of those that belong to
// no project: who writes an Application reads this in its status, and guesses
// would tell them which clusters another team has.
func (f *Fleet) near(want string, of func(gitops.Cluster) string) string {
	far := map[string]int{}
	for _, d := range f.OfNobody() {
		name := of(d)
		if _, known := far[name]; !known {
			far[name] = gitops.Distance(name, want)
		}
	}
	names := slices.SortedFunc(maps.Keys(far), func(a, b string) int { return cmp.Or(far[a]-far[b], strings.Compare(a, b)) })
	if len(names) == 0 {
		return ""
	}
	return ", or name one of: " + strings.Join(names[:min(len(names), maxSuggestions)], ", ")
}

func orElse(text, fallback string) string {
	if text != "" {
		return text
	}
	return fallback
}
