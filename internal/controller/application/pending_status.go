package application

import (
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/report"
)

// deferFor is how long the status of a finished automated sync may wait for
// the health of what was just applied: most objects are healthy by then, and
// one write tells both. An engine that is killed in between finds everything
// applied, and records the sync then.
const deferFor = 500 * time.Millisecond

// pendingStatuses keeps statuses that are not written yet. It is safe for concurrent use.
type pendingStatuses struct {
	mu    sync.Mutex
	byApp map[types.NamespacedName]pendingStatus
}

type pendingStatus struct {
	uid    types.UID
	status v1alpha1.ApplicationStatus
	// project is that in which it was found out: in another one an operation is not gone
	// on with.
	project string
	// lost tells that writing failed: the status counts as long as the
	// Application still says what it said then, which is base.
	lost bool
	base v1alpha1.ApplicationStatus
	// consumed is the request that the status has begun to answer.
	consumed *v1alpha1.Operation
}

func newPendingStatuses() *pendingStatuses {
	return &pendingStatuses{byApp: map[types.NamespacedName]pendingStatus{}}
}

// resume gives an application the status that was not written, and returns that as it
// was; nil where there was none.
func (p *pendingStatuses) resume(app *v1alpha1.Application) *pendingStatus {
	name := client.ObjectKeyFromObject(app)
	p.mu.Lock()
	defer p.mu.Unlock()
	kept, ok := p.byApp[name]
	delete(p.byApp, name)
	if !ok || kept.uid != app.UID || kept.project != app.Spec.GetProject() || (kept.lost && !reflect.DeepEqual(kept.base, app.Status)) {
		return nil
	}
	app.Status = *kept.status.DeepCopy()
	if kept.consumed != nil && reflect.DeepEqual(kept.consumed, app.Operation) {
		app.Operation = nil
	}
	return &kept
}

// putBack keeps a status again that resume returned, for a look that did not come
// to look.
func (p *pendingStatuses) putBack(app *v1alpha1.Application, kept *pendingStatus) {
	if kept == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byApp[client.ObjectKeyFromObject(app)] = *kept
}

// keep keeps what could not be written, so that an operation does not begin
// anew, with its hooks, because the hub was away when it was to be recorded.
// before is the Application as it was read.
func (p *pendingStatuses) keep(before client.Object, app *v1alpha1.Application) {
	read, ok := before.(*v1alpha1.Application)
	if !ok || !app.DeletionTimestamp.IsZero() {
		return
	}
	kept := pendingStatus{uid: app.UID, project: app.Spec.GetProject(), status: *app.Status.DeepCopy(), lost: true, base: read.Status}
	if app.Operation == nil {
		kept.consumed = read.Operation
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byApp[client.ObjectKeyFromObject(app)] = kept
}

// deferTo keeps the status for the next look instead of writing it.
func (p *pendingStatuses) deferTo(app *v1alpha1.Application, out *report.Outcome) {
	p.mu.Lock()
	p.byApp[client.ObjectKeyFromObject(app)] = pendingStatus{uid: app.UID, project: app.Spec.GetProject(), status: *app.Status.DeepCopy()}
	p.mu.Unlock()
	out.Hold(deferFor)
}

func (p *pendingStatuses) forget(name types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.byApp, name)
}

// settling tells that an automated sync ended just now, and that its objects
// are on their way.
func settling(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	return st.Succeeded() && st.Operation.InitiatedBy.Automated && !rollsOut(st.Operation) &&
		app.Status.Health.Status == v1alpha1.HealthStatusProgressing
}
