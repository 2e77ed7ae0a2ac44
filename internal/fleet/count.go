package fleet

import "github.com/causeway-gitops/causeway/internal/gitops"

// Inside counts the objects in a namespace that count, of all kinds that are
// watched. What every namespace has by itself is left out.
func (c *Cluster) Inside(namespace string, counts func(gitops.Key) bool) int {
	sum := 0
	for _, r := range c.runningWatches() {
		r.store.each(func(p place) {
			key := gitops.Key{Group: r.store.gvk.Group, Kind: r.store.gvk.Kind, Namespace: p.namespace, Name: p.name}
			if p.namespace == namespace && !ofEveryNamespace(key) && counts(key) {
				sum++
			}
		})
	}
	return sum
}

// ofEveryNamespace tells what Kubernetes makes in each namespace, and what
// comes and goes without anybody's doing.
func ofEveryNamespace(k gitops.Key) bool {
	return k.Kind == "ConfigMap" && k.Name == "kube-root-ca.crt" || k.Kind == "ServiceAccount" && k.Name == "default" || k.Kind == "Event" || k.Kind == "Lease"
}

// Instances counts the objects of the kind that a definition of this name
// (plural.group) stands for, when it is watched.
func (c *Cluster) Instances(definition string) int {
	sum := 0
	for _, r := range c.runningWatches() {
		if r.mapping.Resource.Resource+"."+r.mapping.Resource.Group == definition {
			entries, marks := r.store.size()
			sum += entries + marks
		}
	}
	return sum
}

// each calls f with the place of every object.
func (s *store) each(f func(place)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for p := range s.entries {
		f(p)
	}
	for p := range s.marks {
		f(p)
	}
}
