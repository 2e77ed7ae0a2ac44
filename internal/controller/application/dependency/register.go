package dependency

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Object is an object that somebody waits for. Without a name it is any of its
// kind in the namespace, and without that, too, any on the cluster.
type Object struct {
	Server string
	Key    gitops.Key
	// Project is the one that an Application or ApplicationSet has to be of;
	// empty where that is no matter.
	Project string
}

// Register knows which Applications wait for what, so that each is woken when
// that changes. It is safe for concurrent use; nil knows nothing.
type Register struct {
	mu    sync.RWMutex
	byApp map[types.NamespacedName][]Object
	on    map[Object]map[types.NamespacedName]struct{}
	// passed has what each was let through with, by the digest of its manifests.
	passed map[types.NamespacedName]string
}

// NewRegister returns an empty one.
func NewRegister() *Register {
	return &Register{
		byApp: map[types.NamespacedName][]Object{}, on: map[Object]map[types.NamespacedName]struct{}{}, passed: map[types.NamespacedName]string{},
	}
}

// Pass notes the manifests that an Application is synced to: they wait for
// nothing any more.
func (w *Register) Pass(app types.NamespacedName, digest string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed[app] = digest
}

// Passed reports whether an Application was synced to these manifests.
func (w *Register) Passed(app types.NamespacedName, digest string) bool {
	if w == nil {
		return false
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.passed[app] == digest
}

// Forget drops an Application that is gone.
func (w *Register) Forget(app types.NamespacedName) {
	w.Set(app, nil)
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.passed, app)
}

// Set says what an Application waits for now, in place of what it did.
func (w *Register) Set(app types.NamespacedName, dependencies []Object) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, old := range w.byApp[app] {
		delete(w.on[old], app)
		if len(w.on[old]) == 0 {
			delete(w.on, old)
		}
	}
	delete(w.byApp, app)
	if len(dependencies) == 0 {
		return
	}
	w.byApp[app] = dependencies
	for _, now := range dependencies {
		if w.on[now] == nil {
			w.on[now] = map[types.NamespacedName]struct{}{}
		}
		w.on[now][app] = struct{}{}
	}
}

// On returns who waits for an object. An Application or ApplicationSet is of a
// project; other objects are of none.
func (w *Register) On(server string, k gitops.Key, project string) []types.NamespacedName {
	if w == nil {
		return nil
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	if len(w.on) == 0 {
		return nil
	}
	found := map[types.NamespacedName]struct{}{}
	kind := gitops.Key{Group: k.Group, Kind: k.Kind}
	inNamespace := kind
	inNamespace.Namespace = k.Namespace
	for _, key := range []gitops.Key{k, inNamespace, kind} {
		maps.Copy(found, w.on[Object{Server: server, Key: key}])
		if project != "" {
			maps.Copy(found, w.on[Object{server, key, project}])
		}
	}
	return slices.Collect(maps.Keys(found))
}

// OnServer returns who waits for anything on a cluster.
func (w *Register) OnServer(server string) []types.NamespacedName {
	if w == nil {
		return nil
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	var out []types.NamespacedName
	for app, dependencies := range w.byApp {
		if slices.ContainsFunc(dependencies, func(o Object) bool { return o.Server == server }) {
			out = append(out, app)
		}
	}
	return out
}
