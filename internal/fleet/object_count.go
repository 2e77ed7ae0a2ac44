package fleet

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

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
// (plural.group) stands for. Where none is watched, the API server tells how
// many it has; what it does not tell is none.
func (c *Cluster) Instances(ctx context.Context, definition string) int {
	if sum := c.watched(definition); sum > 0 {
		return sum
	}
	k, err := c.kinds(ctx)
	if err != nil || !k.names[definition] {
		return 0
	}
	for _, mappings := range k.byKind {
		if m := mappings[0]; m.Resource.GroupResource().String() == definition {
			return c.number(ctx, m.Resource)
		}
	}
	return 0
}

// number asks for one object of a resource, and how many are left besides.
func (c *Cluster) number(ctx context.Context, resource schema.GroupVersionResource) int {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	list, err := c.metadata.Resource(resource).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return 0
	}
	count := len(list.Items)
	if left := list.GetRemainingItemCount(); left != nil {
		count += int(*left)
	}
	return count
}

// watched counts the objects of a definition that are watched.
func (c *Cluster) watched(definition string) int {
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
