package lint

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/admission"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// place is where an object is.
type place struct{ kind, namespace, name string }

func (p place) String() string {
	if p.namespace == "" {
		return p.kind + " " + p.name
	}
	return p.kind + " " + p.namespace + "/" + p.name
}

// cluster is what the applications of a cluster make together.
type cluster struct {
	objects []Object
	// whole tells that nothing is missing: what is not among the objects, no application makes.
	whole bool
	// at are the indices of objects.
	at map[place][]int
	// labels of Namespaces, of all who write some.
	labels map[string]labels.Set
	// made are the stores by their names, and listing what they are called by their kinds;
	// both nil until a store is missing.
	made    map[string][]place
	listing map[string][]string
	found   []Found
}

// Find is what is wrong with the objects of a cluster. Whole says that these are all: else nothing is told to be missing.
func Find(objects []Object, whole bool) []Found {
	c := &cluster{objects: objects, whole: whole, at: map[place][]int{}, labels: map[string]labels.Set{}}
	for i := range objects {
		c.add(i, &objects[i])
	}
	served := !whole || slices.ContainsFunc(objects, func(o Object) bool { return o.operator })
	for i := range objects {
		for _, m := range objects[i].mistakes {
			if !m.later || !served {
				c.tell(i, m.Reason, ": "+m.Message)
			}
		}
		if objects[i].secret != nil {
			c.stores(i)
		}
	}
	c.owners()
	return c.found
}

func (c *cluster) add(i int, o *Object) {
	at := place{o.Kind, o.Namespace, o.Name}
	c.at[at] = append(c.at[at], i)
	if o.Kind != "Namespace" {
		return
	}
	set := labels.Set{corev1.LabelMetadataName: o.Name} // the API server writes this one
	c.labels[o.Name] = labels.Merge(c.labels[o.Name], labels.Merge(o.labels, set))
}

// tell notes a mistake, of which the message goes on behind the object's name.
func (c *cluster) tell(at int, reason, message string) {
	o := &c.objects[at]
	c.found = append(c.found, Found{Mistake: Mistake{Reason: reason, Message: place{o.Kind, o.Namespace, o.Name}.String() + message}, At: at})
}

// stores looks at each store that an object names.
func (c *cluster) stores(i int) {
	o := &c.objects[i]
	for _, ref := range o.secret.stores {
		kind := cmp.Or(ref.Kind, esv1.SecretStoreKind)
		if kind != esv1.SecretStoreKind && kind != esv1.ClusterSecretStoreKind {
			c.tell(i, Store, fmt.Sprintf(": the kind %q of the store %s is neither %s nor %s", kind, ref.Name, esv1.SecretStoreKind, esv1.ClusterSecretStoreKind))
			continue
		}
		if o.secret.everywhere != nil && kind == esv1.SecretStoreKind {
			continue // each of its namespaces may have one of that name
		}
		store := place{kind, usage.StoreKey(o.Namespace, esv1.SecretStoreRef{Kind: kind}).Namespace, ref.Name}
		made := c.at[store]
		if len(made) == 0 {
			c.missing(i, store)
			continue
		}
		c.order(i, store, made)
		if kind == esv1.ClusterSecretStoreKind && len(made) == 1 {
			c.permitted(i, store, c.objects[made[0]].conditions)
		}
	}
}

// missing tells of a store that no application makes, where applications make others: else stores may well come from
// Terraform or by hand.
func (c *cluster) missing(i int, store place) {
	if !c.whole {
		return
	}
	if c.made == nil {
		c.index()
	}
	var alike []string
	for _, at := range c.made[store.name] {
		if nearly(at, store, c.objects[i].Namespace) {
			alike = append(alike, at.String())
		}
	}
	slices.Sort(alike)
	same := c.listing[store.kind]
	switch {
	case len(alike) > 0:
		c.tell(i, Store, fmt.Sprintf(" names %s, which no application of the cluster makes; there is %s", store, listed(alike)))
	case len(same) > 0:
		c.tell(i, Store, fmt.Sprintf(" names %s, which no application of the cluster makes; of this kind they make %s", store, listed(same)))
	}
}

// index finds the stores once: each of thousands of references may be to one that is missing.
func (c *cluster) index() {
	c.made, c.listing = map[string][]place{}, map[string][]string{}
	for at := range c.at {
		if at.kind == esv1.SecretStoreKind || at.kind == esv1.ClusterSecretStoreKind {
			c.made[at.name] = append(c.made[at.name], at)
			c.listing[at.kind] = append(c.listing[at.kind], at.String())
		}
	}
	for _, all := range c.listing {
		slices.Sort(all)
	}
}

// nearly reports whether a store may be the one that is meant by another of its name, which an object of a namespace
// names: of the other kind, or of another namespace.
func nearly(at, store place, namespace string) bool {
	if store.kind == esv1.ClusterSecretStoreKind {
		return at.kind == esv1.SecretStoreKind && at.namespace == namespace
	}
	return at.kind == esv1.SecretStoreKind || at.kind == esv1.ClusterSecretStoreKind
}

// order tells of a store that one application makes after what waits for it.
func (c *cluster) order(i int, store place, made []int) {
	o := &c.objects[i]
	late := -1
	for _, at := range made {
		s := &c.objects[at]
		if s.App != o.App || cmp.Or(cmp.Compare(s.Stage, o.Stage), cmp.Compare(s.Wave, o.Wave)) <= 0 {
			return // it may be there before
		}
		late = at
	}
	s := &c.objects[late]
	when := fmt.Sprintf("in wave %d, and %s in wave %d", o.Wave, store, s.Wave)
	if s.Stage != o.Stage {
		when = fmt.Sprintf("a hook that runs before %s is there", store)
	}
	c.tell(i, Order, " is "+when+" of the same application: a sync waits until this is Ready before it makes the store; give the store an earlier wave")
}

// permitted tells of a namespace that a store does not admit.
func (c *cluster) permitted(i int, store place, conditions []esv1.StoreCondition) {
	var refused []string
	for _, namespace := range c.namespaces(&c.objects[i]) {
		set, known := c.labels[namespace]
		if admission.Selects(conditions) && !known {
			continue
		}
		if ok, err := admission.Admits(conditions, namespace, set); err == nil && !ok {
			refused = append(refused, namespace)
		}
	}
	if len(refused) > 0 {
		c.tell(i, Permission, fmt.Sprintf(": spec.conditions of %s do not admit the namespace %s", store, listed(refused)))
	}
}

// namespaces are those that an object uses stores in, as far as they are known.
func (c *cluster) namespaces(o *Object) []string {
	where := o.secret.everywhere
	if where == nil {
		return []string{o.Namespace}
	}
	out := slices.Clone(where.Namespaces)
	for _, one := range append(slices.Clone(where.NamespaceSelectors), where.NamespaceSelector) {
		selector, err := metav1.LabelSelectorAsSelector(one) // of nil it matches nothing
		if err != nil {
			continue
		}
		for name, set := range c.labels {
			if selector.Matches(set) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// owners tells of ExternalSecrets whose Secret somebody else makes as well: another one, or an application.
func (c *cluster) owners() {
	first := map[place]int{}
	for i := range c.objects {
		o := &c.objects[i]
		if o.secret == nil || o.secret.target == "" || !o.secret.makes() {
			continue
		}
		target := place{o.secret.kind, o.Namespace, o.secret.target}
		if made := c.at[target]; len(made) > 0 && target.kind == "Secret" {
			c.tell(i, Owners, fmt.Sprintf(" makes %s, and %s makes it as well: each writes over the other. Give target.name another name, or set creationPolicy: Merge", target, c.objects[made[0]].App))
		}
		was, again := first[target]
		if !again {
			first[target] = i
			continue
		}
		if other := &c.objects[was]; other.Name != o.Name {
			c.tell(i, Owners, fmt.Sprintf(" makes %s, and ExternalSecret %s makes it as well: only one of them can own it. Give target.name another name, or set creationPolicy: Merge", target, other.Name))
		}
	}
}

// makes reports whether the object is to be there by this alone.
func (s *secret) makes() bool {
	return s.policy == "" || s.policy == esv1.CreateOwner || s.policy == esv1.CreateOrphan
}
