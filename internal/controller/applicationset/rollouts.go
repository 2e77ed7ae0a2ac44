package applicationset

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
)

// Rollouts knows which sets roll out in steps, and how far each was when this
// process looked last: the cache may be behind our own writes. It is safe for
// concurrent use.
type Rollouts struct {
	mu   sync.RWMutex
	sets map[types.NamespacedName]rolled
}

type rolled struct {
	uid     types.UID
	entries []rollout.Entry
}

// NewRollouts returns an empty Rollouts.
func NewRollouts() *Rollouts { return &Rollouts{sets: map[types.NamespacedName]rolled{}} }

// Rolls reports whether a set rolls out in steps.
func (r *Rollouts) Rolls(set types.NamespacedName) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, ok := r.sets[set]
	return ok
}

// entries are the newest that are known of a set.
func (r *Rollouts) entries(set *v1alpha1.ApplicationSet) []rollout.Entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if kept, ok := r.sets[client.ObjectKeyFromObject(set)]; ok && kept.uid == set.UID {
		return slices.Clone(kept.entries)
	}
	return set.Status.ApplicationStatus
}

func (r *Rollouts) keep(set *v1alpha1.ApplicationSet, entries []rollout.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sets[client.ObjectKeyFromObject(set)] = rolled{uid: set.UID, entries: entries}
}

func (r *Rollouts) forget(name types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sets, name)
}

// Steered lets through updates that pause a roll-out or let it go on.
func Steered() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(u event.UpdateEvent) bool {
		const key = gitops.AnnotationRolloutPaused
		return u.ObjectOld.GetAnnotations()[key] != u.ObjectNew.GetAnnotations()[key]
	}}
}

// Moved reports whether an Application changed in what a roll-out looks at.
func Moved(a, b *v1alpha1.Application) bool {
	return a.Status.Sync.Status != b.Status.Sync.Status || a.Status.Health.Status != b.Status.Health.Status ||
		!slices.Equal(revisionsOf(a), revisionsOf(b)) || (a.Operation == nil) != (b.Operation == nil) ||
		phaseOf(a) != phaseOf(b) || failureOf(a) != failureOf(b) || heldFor(a) != heldFor(b)
}

func phaseOf(app *v1alpha1.Application) v1alpha1.OperationPhase {
	if app.Status.OperationState == nil {
		return ""
	}
	return app.Status.OperationState.Phase
}

func revisionsOf(app *v1alpha1.Application) []string {
	s := app.Status.Sync
	if len(s.Revisions) > 0 {
		return s.Revisions
	}
	if s.Revision == "" {
		return nil
	}
	return []string{s.Revision}
}
