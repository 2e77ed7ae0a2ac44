package apply

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// servedWithin is how long an API server may take until it serves a kind
// whose CustomResourceDefinition has just been applied.
const servedWithin = time.Minute

// freshKinds remembers the kinds whose CustomResourceDefinition was applied a
// moment ago. Their objects wait until they are served.
type freshKinds struct {
	mu    sync.Mutex
	until map[schema.GroupKind]time.Time
}

func (f *freshKinds) add(o *unstructured.Unstructured) {
	kind := definedBy(o)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.until == nil {
		f.until = map[schema.GroupKind]time.Time{}
	}
	f.until[kind] = time.Now().Add(servedWithin)
}

// deadline of a kind, and whether it has one that is still to come.
func (f *freshKinds) deadline(gk schema.GroupKind) (time.Time, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	until, ok := f.until[gk]
	if ok && time.Now().After(until) {
		delete(f.until, gk)
		return time.Time{}, false
	}
	return until, ok
}

// definedBy is the kind of a CustomResourceDefinition's objects.
func definedBy(o *unstructured.Unstructured) schema.GroupKind {
	group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
	return schema.GroupKind{Group: group, Kind: kind}
}

// mapped calls do with the paths of an object. When the cluster does
// not serve the kind, it looks once more with a fresh mapping, and goes on
// looking while the kind's definition is new.
func (a *Applier) mapped(ctx context.Context, c Cluster, gvk schema.GroupVersionKind, key gitops.Key, do func(paths) error) error {
	wait := 25 * time.Millisecond
	for try := 0; ; try++ {
		mapping, err := c.Mapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		if err == nil {
			err = mappedTo(mapping, key, do)
		}
		if err == nil || !isUnknownKind(err) {
			return err
		}
		_, fresh := a.lane(c.Server()).fresh.deadline(gvk.GroupKind())
		if try > 0 && !fresh {
			return err
		}
		if try > 0 && !sleep(ctx, wait) {
			return err
		}
		wait = min(wait*2, time.Second)
		meta.MaybeResetRESTMapper(c.Mapper())
	}
}

func mappedTo(mapping *meta.RESTMapping, key gitops.Key, do func(paths) error) error {
	p, err := pathsOf(mapping, key)
	if err != nil {
		return err
	}
	return do(p)
}
