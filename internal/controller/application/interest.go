package application

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// Interest knows which applications desire an object that carries no tracking
// id: CustomResourceDefinitions and created Namespaces. It is safe for
// concurrent use.
type Interest struct {
	mu   sync.RWMutex
	apps map[memoKey]map[types.NamespacedName]bool
	keys map[types.NamespacedName][]memoKey
}

// NewInterest returns an empty Interest.
func NewInterest() *Interest {
	return &Interest{apps: map[memoKey]map[types.NamespacedName]bool{}, keys: map[types.NamespacedName][]memoKey{}}
}

// Of returns the applications that desire an untracked object.
func (i *Interest) Of(server string, key gitops.Key) []types.NamespacedName {
	i.mu.RLock()
	defer i.mu.RUnlock()
	names := make([]types.NamespacedName, 0, len(i.apps[memoKey{server, key}]))
	for name := range i.apps[memoKey{server, key}] {
		names = append(names, name)
	}
	return names
}

func (i *Interest) learn(name types.NamespacedName, server string, set *plan.Set) {
	var keys []memoKey
	for j := range set.Objects {
		if isDefinition(set.Objects[j].Key) {
			keys = append(keys, memoKey{server, set.Objects[j].Key})
		}
	}
	if set.Namespace != nil {
		keys = append(keys, memoKey{server, set.Namespace.Key})
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.drop(name)
	for _, k := range keys {
		if i.apps[k] == nil {
			i.apps[k] = map[types.NamespacedName]bool{}
		}
		i.apps[k][name] = true
	}
	if len(keys) > 0 {
		i.keys[name] = keys
	}
}

func isDefinition(k gitops.Key) bool {
	return k.Group == "apiextensions.k8s.io" && k.Kind == "CustomResourceDefinition"
}

func (i *Interest) forget(name types.NamespacedName) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.drop(name)
}

func (i *Interest) drop(name types.NamespacedName) {
	for _, k := range i.keys[name] {
		delete(i.apps[k], name)
		if len(i.apps[k]) == 0 {
			delete(i.apps, k)
		}
	}
	delete(i.keys, name)
}
