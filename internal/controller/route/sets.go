package route

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
)

// SetBell wakes the controller of ApplicationSets.
type SetBell struct {
	readers *applicationset.Readers
	// bell is for changes in the state of Applications, for which a set need
	// not be expanded.
	bell wake.Bell
}

// Source is what the controller hears.
func (b *SetBell) Source() *wake.Bell { return &b.bell }

// Ring asks for a set to be expanded.
func (b *SetBell) Ring(name types.NamespacedName) {
	b.RingAfter(name, 0)
}

// RingAfter asks for it after a pause, in which further rings are one.
func (b *SetBell) RingAfter(name types.NamespacedName, pause time.Duration) {
	b.readers.Stale(name)
	b.bell.RingAfter(name, pause)
}

// setPause is how long changes in the state of its Applications are gathered
// before a set shows them.
const setPause = 2 * time.Second

// OfSets wakes the sets of Applications that appear, change and go.
func (r *Router) OfSets() handler.EventHandler {
	return handler.Funcs{CreateFunc: r.appOfSetThere, UpdateFunc: r.appOfSetChanged, DeleteFunc: r.appOfSetGone}
}

// appOfSetChanged wakes the set of an Application: at once when what the set
// writes was changed by hand, after a while when only its state moved.
func (r *Router) appOfSetChanged(_ context.Context, u event.UpdateEvent, _ wake.Queue) {
	a, ok1 := u.ObjectOld.(*v1alpha1.Application)
	b, ok2 := u.ObjectNew.(*v1alpha1.Application)
	name, owned := r.setOf(u.ObjectOld)
	if !owned {
		name, owned = r.setOf(u.ObjectNew)
	}
	if !ok1 || !ok2 {
		return
	}
	if owner := applicationset.Owner; a.Spec.GetProject() != b.Spec.GetProject() || !slices.Equal(owner(a), owner(b)) {
		r.appIsFree(b)
	}
	if !owned {
		return
	}
	switch {
	case writtenOtherwise(a, b) && (!r.Readers.IsEcho(b) || r.Rollouts.Rolls(name)):
		r.Sets.Ring(name)
	case r.Rollouts.Rolls(name) && applicationset.Moved(a, b):
		r.Sets.bell.RingAfter(name, rollPause)
	case a.Status.Sync.Status != b.Status.Sync.Status && b.Status.Sync.Status == v1alpha1.SyncStatusCodeUnknown:
		r.Sets.RingAfter(name, setPause) // its cluster or project may be gone, which the set has to tell
	case a.Status.Sync.Status != b.Status.Sync.Status || a.Status.Health.Status != b.Status.Health.Status:
		r.Sets.bell.RingAfter(name, setPause)
	}
}

// writtenOtherwise reports whether two states differ in what a set writes, or in
// whether it does: of an outline it leaves all as it is. That somebody asks for
// another look is nothing that a set writes, and who may read may ask.
func writtenOtherwise(a, b *v1alpha1.Application) bool {
	return a.Outlined != b.Outlined || !reflect.DeepEqual(a.Spec, b.Spec) || !maps.Equal(a.Labels, b.Labels) || !maps.Equal(lasting(a.Annotations), lasting(b.Annotations)) ||
		!slices.Equal(a.Finalizers, b.Finalizers) || !reflect.DeepEqual(a.OwnerReferences, b.OwnerReferences)
}

// lasting are annotations without the one that asks for another look.
func lasting(all map[string]string) map[string]string {
	out := maps.Clone(all)
	delete(out, v1alpha1.AnnotationRefresh)
	return out
}

// setOf names the set that owns an Application.
func (r *Router) setOf(app client.Object) (types.NamespacedName, bool) {
	owner := applicationset.Owner(app)
	if owner == nil || app.GetNamespace() != r.Namespace {
		return types.NamespacedName{}, false
	}
	return types.NamespacedName{Namespace: app.GetNamespace(), Name: owner[0]}, true
}

// appOfSetThere wakes the set of an Application that appears: an expansion that
// ran before did not see it.
func (r *Router) appOfSetThere(_ context.Context, c event.CreateEvent, _ wake.Queue) {
	if name, owned := r.setOf(c.Object); owned {
		r.Sets.RingAfter(name, setPause)
	}
}

func (r *Router) appOfSetGone(_ context.Context, d event.DeleteEvent, _ wake.Queue) {
	if name, owned := r.setOf(d.Object); owned {
		r.Sets.Ring(name)
	}
	r.Readers.Gone(d.Object)
	r.appIsFree(d.Object)
}

// appIsFree wakes the sets that left an Application to somebody else and may
// have it now.
func (r *Router) appIsFree(app client.Object) {
	if app.GetNamespace() != r.Namespace {
		return
	}
	for _, name := range r.Readers.Wanting(app.GetName()) {
		r.Sets.Ring(name)
	}
}
