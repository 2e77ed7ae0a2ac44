package report

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Stage names the part of the pipeline that an outcome comes from.
type Stage string

// The stages, in the order in which a reconcile goes through them.
const (
	Spec     Stage = "spec"
	Fetch    Stage = "fetch"
	Generate Stage = "generate"
	Render   Stage = "render"
	Plan     Stage = "plan"
	Apply    Stage = "apply"
	Observe  Stage = "observe"
	Delete   Stage = "delete"
)

// Writer sends the changed status; a client.Client is one.
type Writer interface {
	Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error
}

// Events records Kubernetes events; an events recorder of client-go is one
// after adaptation in app.
type Events interface {
	Event(obj client.Object, kind, reason, message string)
}

// Describer writes a failure into the status of the kind it knows, and clears
// what an earlier failure left when there is none now.
type Describer interface {
	Describe(obj client.Object, failure *Failure, now time.Time)
}

// Failure is what stopped a reconcile.
type Failure struct {
	Stage Stage
	Class Class
	Err   error
}

// Reporter makes outcomes for one kind of object.
type Reporter struct {
	kind     string
	writer   Writer
	events   Events
	describe Describer
	metrics  *Metrics
	log      *slog.Logger
	backoff  *backoff
	now      func() time.Time
}

// New returns a Reporter for a kind ("Application").
func New(kind string, w Writer, e Events, d Describer, m *Metrics, log *slog.Logger) *Reporter {
	return &Reporter{kind: kind, writer: w, events: e, describe: d, metrics: m, log: log, backoff: newBackoff(), now: time.Now}
}

// DeniedFor sets the first pause after an error of the class Denied, and in
// proportion the longest; 0 leaves them as they are.
func (r *Reporter) DeniedFor(first time.Duration) *Reporter {
	if first > 0 {
		r.backoff.denied = pause{first: first, most: deniedTimes * first}
	}
	return r
}

// Forget drops what is known of an object that is gone.
func (r *Reporter) Forget(name types.NamespacedName) { r.backoff.forget(name) }

// Outcome collects what happened to one object in one reconcile.
type Outcome struct {
	reporter *Reporter
	ctx      context.Context //nolint:containedctx // an outcome lives as long as the reconcile whose context it is
	before   client.Object
	object   client.Object
	started  time.Time
	failure  *Failure
	events   []event
	again    time.Duration
	held     bool
	passages []passage
	// join makes the spans part of another trace; nil: of one of their own.
	join func(context.Context) context.Context
}

type event struct{ kind, reason, message string }

// Begin takes the object as it was read; the caller changes its status in
// place until End.
func (r *Reporter) Begin(ctx context.Context, obj client.Object) *Outcome {
	before, ok := obj.DeepCopyObject().(client.Object)
	if !ok {
		before = obj
	}
	return &Outcome{reporter: r, ctx: ctx, before: before, object: obj, started: r.now()}
}

// Before is the object as Begin took it. It must not be changed.
func (o *Outcome) Before() client.Object { return o.before }

// Checkpoint writes what has been changed so far, for what must be known to
// whoever goes on should the process end now.
func (o *Outcome) Checkpoint() error {
	if err := o.write(); err != nil {
		return err
	}
	if now, ok := o.object.DeepCopyObject().(client.Object); ok {
		o.before = now
	}
	return nil
}

// Failed notes the stage at which the reconcile stopped and returns the
// error unchanged. What is told and kept of it is brief.
func (o *Outcome) Failed(stage Stage, err error) error {
	o.failure = &Failure{Stage: stage, Class: Classify(err), Err: gitops.Brief(err)}
	return err
}

// Context is that of the reconcile.
func (o *Outcome) Context() context.Context { return o.ctx }

// Event asks for a Kubernetes event of type Normal or Warning.
func (o *Outcome) Event(kind, reason, message string) {
	o.events = append(o.events, event{kind, reason, gitops.Condition(message)})
}

// Again asks for another look after a pause; the shortest one counts.
func (o *Outcome) Again(after time.Duration) {
	if o.again == 0 || after < o.again {
		o.again = after
	}
}

// Hold leaves the status unwritten: the caller keeps it, and brings it again
// after the pause at the latest.
func (o *Outcome) Hold(pause time.Duration) {
	o.held = true
	o.Again(pause)
}

// End writes the status if it changed, sends the events, counts, logs, and
// tells when to look again. It is deferred right after Begin.
func (o *Outcome) End(err error) (reconcile.Result, error) {
	r := o.reporter
	if o.stopped() {
		return reconcile.Result{}, nil
	}
	if err != nil && o.failure == nil {
		_ = o.Failed(Observe, err)
	}
	r.describe.Describe(o.object, o.failure, r.now())
	return o.finish()
}

// EndUnchanged is End of a reconcile that has not looked at anything: what an
// earlier one found wrong stays.
func (o *Outcome) EndUnchanged() (reconcile.Result, error) {
	if o.stopped() {
		return reconcile.Result{}, nil
	}
	return o.finish()
}

// goneAgain is when an object is looked at again whose status nobody would take, as there
// is none of its name. It was deleted, which the next look finds out, or an API server
// that has just begun does not know its kind yet.
const goneAgain = time.Second

func (o *Outcome) finish() (reconcile.Result, error) {
	r := o.reporter
	var writeErr error
	if !o.held {
		writeErr = o.write()
	}
	o.announce()
	end := r.now()
	r.metrics.observe(r.kind, o.failure, end.Sub(o.started))
	o.measure(end)
	if writeErr != nil && o.stopped() {
		return reconcile.Result{}, nil
	}
	if apierrors.IsNotFound(writeErr) {
		return reconcile.Result{RequeueAfter: goneAgain}, nil
	}
	if writeErr != nil {
		return reconcile.Result{}, writeErr
	}
	return reconcile.Result{RequeueAfter: o.next()}, nil
}

// stopped reports whether the process ends: nothing can be written any more, and the
// next one looks again.
func (o *Outcome) stopped() bool { return errors.Is(o.ctx.Err(), context.Canceled) }

func (o *Outcome) next() time.Duration {
	class := None
	if o.failure != nil {
		class = o.failure.Class
	}
	written := ""
	if class != None {
		written = writtenOf(o.object)
	}
	after := o.reporter.backoff.next(client.ObjectKeyFromObject(o.object), written, class, o.reporter.now())
	if after == 0 || (o.again > 0 && o.again < after) {
		return o.again
	}
	return after
}

// write sends one patch with what changed since Begin, or nothing.
func (o *Outcome) write() error {
	if reflect.DeepEqual(o.before, o.object) {
		return nil // as most reconciles leave it; to tell that by a patch, both would be encoded
	}
	app, ok := o.object.(*v1alpha1.Application)
	if !ok { // the status is a resource of its own
		return o.send(StatusFrom(o.before))
	}
	data, err := o.patch().Data(o.object)
	if err != nil || string(data) == "{}" {
		return err
	}
	if data, err = only(app, data); err != nil {
		return err
	}
	return o.send(client.RawPatch(types.MergePatchType, data))
}

// send leaves the object as it is, whatever the answer has.
func (o *Outcome) send(patch client.Patch) error {
	data, err := patch.Data(o.object)
	if err != nil || string(data) == "[]" {
		return err
	}
	sent, ok := o.object.DeepCopyObject().(client.Object)
	if !ok {
		sent = o.object
	}
	return o.reporter.writer.Patch(o.ctx, sent, client.RawPatch(patch.Type(), data))
}

// only has a patch of an Application refused for another one that was made under
// its name since: nobody changes a UID.
func only(app *v1alpha1.Application, data []byte) ([]byte, error) {
	if app.UID == "" {
		return data, nil
	}
	// What is not looked into stays as it is, long numbers, too.
	var patch, metadata map[string]json.RawMessage
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	if raw, has := patch["metadata"]; has {
		if err := json.Unmarshal(raw, &metadata); err != nil {
			return nil, err
		}
	}
	if metadata == nil {
		metadata = map[string]json.RawMessage{}
	}
	var err error
	if metadata["uid"], err = json.Marshal(app.UID); err != nil {
		return nil, err
	}
	if patch["metadata"], err = json.Marshal(metadata); err != nil {
		return nil, err
	}
	return json.Marshal(patch)
}

// patch compares with what was read. Where a list of several writers, or a
// request of a person, is taken away, or an operation begins, the object must be the
// one that was read: a change in between, as of its project, is looked at first.
func (o *Outcome) patch() client.Patch {
	before, _ := o.before.(*v1alpha1.Application)
	now, _ := o.object.(*v1alpha1.Application)
	consumes := before != nil && now != nil && (before.Operation != nil && now.Operation == nil || uses(before, now) || begins(before, now))
	if consumes || !slices.Equal(o.before.GetFinalizers(), o.object.GetFinalizers()) {
		return client.MergeFromWithOptions(o.before, client.MergeFromWithOptimisticLock{})
	}
	return client.MergeFrom(o.before)
}

// uses reports whether an approval is taken away, as it is used.
func uses(before, now *v1alpha1.Application) bool {
	_, had := before.Annotations[gitops.AnnotationDeletionApproval]
	_, has := now.Annotations[gitops.AnnotationDeletionApproval]
	return had && !has
}

// begins reports whether an operation is under way that was not.
func begins(before, now *v1alpha1.Application) bool {
	was, is := before.Status.OperationState, now.Status.OperationState
	return is != nil && !is.Phase.Completed() && (was == nil || was.Phase.Completed() || !was.StartedAt.Equal(&is.StartedAt))
}

func (o *Outcome) announce() {
	r := o.reporter
	for _, e := range o.events {
		r.events.Event(o.object, e.kind, e.reason, e.message)
	}
	if o.failure == nil {
		return
	}
	level := slog.LevelWarn
	if o.failure.Class == Waiting {
		level = slog.LevelDebug
	}
	r.log.Log(o.ctx, level, "reconcile stopped", "kind", r.kind, "namespace", o.object.GetNamespace(), "name", o.object.GetName(),
		"stage", o.failure.Stage, "class", o.failure.Class, "error", gitops.First(o.failure.Err.Error(), mostLogged))
}

// mostLogged bounds what a line of the log says of an error, in bytes: the status says
// more, and longer lines are torn where they are collected.
const mostLogged = 4 << 10
