package state

import (
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/report"
)

// deferFor is how long the status of a finished automated sync may wait for
// the health of what was just applied: most objects are healthy by then, and
// one write tells both. An engine that is killed in between finds everything
// applied, and records the sync then.
const deferFor = time.Second

// PendingStatuses keeps statuses that are not written yet. It is safe for concurrent use.
type PendingStatuses struct {
	mu    sync.Mutex
	byApp map[types.NamespacedName]PendingStatus
}

// NewPendingStatuses returns an empty one.
func NewPendingStatuses() *PendingStatuses {
	return &PendingStatuses{byApp: map[types.NamespacedName]PendingStatus{}}
}

// Resume gives an application the status that was not written, and returns that as it
// was; nil where there was none.
func (p *PendingStatuses) Resume(app *v1alpha1.Application) *PendingStatus {
	name := client.ObjectKeyFromObject(app)
	p.mu.Lock()
	defer p.mu.Unlock()
	kept, ok := p.byApp[name]
	delete(p.byApp, name)
	if !ok || kept.UID != app.UID || kept.Project != app.Spec.GetProject() || (kept.lost && !reflect.DeepEqual(kept.base, app.Status)) {
		return nil
	}
	app.Status = *kept.Status.DeepCopy()
	if kept.consumed != nil && reflect.DeepEqual(kept.consumed, app.Operation) {
		app.Operation = nil
	}
	return &kept
}

// PutBack keeps a status again that Resume returned, for a look that did not come
// to look.
func (p *PendingStatuses) PutBack(app *v1alpha1.Application, kept *PendingStatus) {
	if kept == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byApp[client.ObjectKeyFromObject(app)] = *kept
}

// Keep keeps what could not be written, so that an operation does not begin
// anew, with its hooks, because the hub was away when it was to be recorded.
// before is the Application as it was read.
func (p *PendingStatuses) Keep(before client.Object, app *v1alpha1.Application) {
	read, ok := before.(*v1alpha1.Application)
	if !ok || !app.DeletionTimestamp.IsZero() {
		return
	}
	kept := PendingStatus{UID: app.UID, Project: app.Spec.GetProject(), Status: *app.Status.DeepCopy(), lost: true, base: read.Status}
	if app.Operation == nil {
		kept.consumed = read.Operation
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byApp[client.ObjectKeyFromObject(app)] = kept
}

// Defer keeps the status for the next look instead of writing it, unless it has waited
// long enough: last is what the look before left, if anything.
func (p *PendingStatuses) Defer(app *v1alpha1.Application, out *report.Outcome, last *PendingStatus, now time.Time) {
	until := now.Add(deferFor)
	if last.Deferred() {
		until = last.until
	}
	if !now.Before(until) {
		return
	}
	p.mu.Lock()
	p.byApp[client.ObjectKeyFromObject(app)] = PendingStatus{UID: app.UID, Project: app.Spec.GetProject(), Status: *app.Status.DeepCopy(), until: until}
	p.mu.Unlock()
	out.Hold(until.Sub(now))
}

// Deferred reports whether the status waits for the health of what was applied.
func (s *PendingStatus) Deferred() bool { return s != nil && !s.until.IsZero() }

// Forget drops an Application that is gone.
func (p *PendingStatuses) Forget(name types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.byApp, name)
}

// Settling reports whether an automated sync ended just now, and that its objects
// are on their way.
func Settling(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	return st.Succeeded() && st.Operation.InitiatedBy.Automated && !opstate.RollsOut(st.Operation) &&
		app.Status.Health.Status == v1alpha1.HealthStatusProgressing
}
