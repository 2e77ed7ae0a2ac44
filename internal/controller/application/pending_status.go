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

// holdFor is how long the status of a finished automated sync may wait for
// the health of what was just applied: most objects are healthy by then, and
// one write tells both. An engine that is killed in between finds everything
// applied, and records the sync then.
const holdFor = 500 * time.Millisecond

// held keeps statuses that are not written yet. It is safe for concurrent use.
type held struct {
	mu    sync.Mutex
	byApp map[types.NamespacedName]heldStatus
}

type heldStatus struct {
	uid    types.UID
	status v1alpha1.ApplicationStatus
	// lost tells that writing failed: the status counts as long as the
	// Application still says what it said then, which is base.
	lost bool
	base v1alpha1.ApplicationStatus
	// consumed is the request that the status has begun to answer.
	consumed *v1alpha1.Operation
}

func newHeld() *held { return &held{byApp: map[types.NamespacedName]heldStatus{}} }

// resume gives an application the status that was held back, and returns that as it
// was; nil where there was none.
func (h *held) resume(app *v1alpha1.Application) *heldStatus {
	name := client.ObjectKeyFromObject(app)
	h.mu.Lock()
	defer h.mu.Unlock()
	kept, ok := h.byApp[name]
	delete(h.byApp, name)
	if !ok || kept.uid != app.UID || (kept.lost && !reflect.DeepEqual(kept.base, app.Status)) {
		return nil
	}
	app.Status = *kept.status.DeepCopy()
	if kept.consumed != nil && reflect.DeepEqual(kept.consumed, app.Operation) {
		app.Operation = nil
	}
	return &kept
}

// putBack holds a status back again that resume returned, for a look that did not come
// to look.
func (h *held) putBack(app *v1alpha1.Application, kept *heldStatus) {
	if kept == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.byApp[client.ObjectKeyFromObject(app)] = *kept
}

// keep keeps what could not be written, so that an operation does not begin
// anew, with its hooks, because the hub was away when it was to be recorded.
// before is the Application as it was read.
func (h *held) keep(before client.Object, app *v1alpha1.Application) {
	read, ok := before.(*v1alpha1.Application)
	if !ok || !app.DeletionTimestamp.IsZero() {
		return
	}
	kept := heldStatus{uid: app.UID, status: *app.Status.DeepCopy(), lost: true, base: read.Status}
	if app.Operation == nil {
		kept.consumed = read.Operation
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.byApp[client.ObjectKeyFromObject(app)] = kept
}

// hold keeps the status for the next look instead of writing it.
func (h *held) hold(app *v1alpha1.Application, out *report.Outcome) {
	h.mu.Lock()
	h.byApp[client.ObjectKeyFromObject(app)] = heldStatus{uid: app.UID, status: *app.Status.DeepCopy()}
	h.mu.Unlock()
	out.Hold(holdFor)
}

func (h *held) forget(name types.NamespacedName) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.byApp, name)
}

// settling tells that an automated sync ended just now, and that its objects
// are on their way.
func settling(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	return st.Succeeded() && st.Operation.InitiatedBy.Automated && !rollsOut(st.Operation) &&
		app.Status.Health.Status == v1alpha1.HealthStatusProgressing
}
