// Package applicationset keeps the Applications of an ApplicationSet what its
// generators and template say.
//
// It expands the whole set when something that it reads changed, and writes only
// what differs, so that a changed label of one cluster changes exactly the
// Applications it feeds. It
// never syncs an Application: that is the application controller's.
package applicationset

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Generator expands a set without touching a cluster.
type Generator interface {
	Applications(ctx context.Context, set *v1alpha1.ApplicationSet) (*generate.Expansion, error)
}

// Options are the parts of a Reconciler.
type Options struct {
	Client   client.Client
	Generate Generator
	Report   *report.Reporter
	// Readers learns what each set reads.
	Readers *Readers
	// Rollouts and Looks are what roll-outs in steps go by.
	Rollouts *Rollouts
	Looks    *comparisons.Book
	// LookAnew is called before a set is expanded for which somebody wants what it
	// reads to be read again, whatever is remembered of it.
	LookAnew func(set types.NamespacedName)
	// Guard holds mass deletions; nothing does when nil.
	Guard *Guard
	// Seal seals the operations that roll-outs ask for.
	Seal *operation.Seal
	Log  *slog.Logger
	// Now is the time of conditions, approvals and roll-outs; the clock's when nil.
	Now func() time.Time
}

// Reconciler reconciles ApplicationSets.
type Reconciler struct{ Options }

// New returns a Reconciler.
func New(o Options) *Reconciler {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Reconciler{o}
}

// Reconcile brings the Applications of one set to what the set says. When
// anything in the expansion fails, none of them is touched.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (res reconcile.Result, err error) {
	set := &v1alpha1.ApplicationSet{}
	if err := r.Client.Get(ctx, req.NamespacedName, set); err != nil {
		r.Readers.Forget(req.NamespacedName)
		r.Rollouts.forget(req.NamespacedName)
		r.forgetHeld(req.NamespacedName)
		r.Report.Forget(req.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if set.Outlined != "" {
		out := r.Report.Begin(ctx, set)
		return out.End(out.Failed(report.Generate, gitops.Problemf(gitops.Invalid, "%s", set.Outlined)))
	}
	if !set.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, r.dismantle(ctx, set)
	}
	if err := r.secure(ctx, set); err != nil {
		return reconcile.Result{}, err
	}
	out := r.Report.Begin(ctx, set)
	defer func() {
		fit(set)
		if res, err = out.End(err); err != nil {
			r.Readers.Stale(req.NamespacedName) // the status is not written: it is found out again
		}
	}()
	if _, asked := set.Annotations[v1alpha1.AnnotationApplicationSetRefresh]; !asked && r.Readers.isSettled(set) {
		return reconcile.Result{}, r.show(ctx, set, out)
	}
	refreshed := r.refresh(ctx, set)
	defer func() { err = errors.Join(err, refreshed()) }()
	return reconcile.Result{}, r.expand(ctx, set, out)
}

// show writes what the Applications of a set say of themselves, which costs a
// small part of expanding it.
func (r *Reconciler) show(ctx context.Context, set *v1alpha1.ApplicationSet, out *report.Outcome) error {
	owned, err := r.owned(ctx, set)
	if err != nil {
		return out.Failed(report.Plan, err)
	}
	r.status(set, owned)
	return nil
}

// expand goes through the stages of a set: none of its Applications is touched unless
// all of them could be worked out.
func (r *Reconciler) expand(ctx context.Context, set *v1alpha1.ApplicationSet, out *report.Outcome) error {
	ctx = generate.Comparing(ctx, set)
	expansion, err := r.expanded(ctx, set, out)
	defer expansion.Release()
	var v *verdict
	if err == nil {
		v, err = r.planned(ctx, set, out, expansion)
	}
	if err != nil {
		stalled(set, err, r.Now())
		return failed(out, err)
	}
	idle, err := r.carried(ctx, set, out, v)
	if err != nil {
		return failed(out, err)
	}
	if idle {
		r.Readers.settle(set)
	}
	return nil
}

// expanded is what the generators and the template of a set make. It is to be released,
// also beside an error.
func (r *Reconciler) expanded(ctx context.Context, set *v1alpha1.ApplicationSet, out *report.Outcome) (*generate.Expansion, error) {
	r.Readers.Expanding(set)
	expansion, err := r.Generate.Applications(ctx, set)
	r.warn(ctx, set, expansion)
	if expansion != nil && expansion.Reads.Again > 0 {
		out.Again(expansion.Reads.Again) // also after a failure: nothing tells that a host or plugin is back
	}
	if err != nil {
		r.Readers.LearnOfFailure(client.ObjectKeyFromObject(set), expansion)
		return expansion, at(report.Generate, err)
	}
	unresolved(set, expansion.Unresolved, r.Now())
	return expansion, nil
}

// verdict is what is to become of the Applications of a set.
type verdict struct {
	expansion *generate.Expansion
	owned     []v1alpha1.Application
	changes   *generate.Changes
	// rolling is nil for a set that does not roll out in steps.
	rolling *roller
	// word is the guard's about deletions; denied tells why they are held.
	word   judged
	denied error
	// refused tells of what cannot be created.
	refused error
}

// planned compares what was made with the Applications that the set owns.
func (r *Reconciler) planned(ctx context.Context, set *v1alpha1.ApplicationSet, out *report.Outcome, expansion *generate.Expansion) (*verdict, error) {
	owned, err := r.owned(ctx, set)
	if err == nil {
		err = expansion.Withhold(ctx, owned)
	}
	r.Readers.Learn(client.ObjectKeyFromObject(set), expansion)
	if err != nil {
		return nil, at(report.Plan, err)
	}
	v := &verdict{expansion: expansion, owned: owned}
	if v.rolling, err = r.roller(set, expansion); err != nil {
		return nil, at(report.Plan, err)
	}
	if v.changes, err = generate.Plan(ctx, set, owned, expansion); err != nil {
		return nil, at(report.Plan, err)
	}
	held := hold(v.changes, set, expansion)
	v.word, v.denied = r.guarded(ctx, out, set, owned, expansion, v.changes)
	v.refused = rejected(expansion, held)
	if v.rolling == nil { // a roll-out goes by what all of them are
		expansion.Leave(v.changes)
	}
	return v, nil
}

// carried writes a verdict, and moves the roll-out on. It is idle where nothing is left to
// look at until something changes.
func (r *Reconciler) carried(ctx context.Context, set *v1alpha1.ApplicationSet, out *report.Outcome, v *verdict) (idle bool, err error) {
	exist, wrote := r.apply(ctx, set, v.owned, v.changes)
	r.Readers.learnOfWrites(client.ObjectKeyFromObject(set), wrote, out)
	r.tell(set, exist, v.word)
	join := joins(v.expansion)
	taken, broken := join(wrote.refusals()), join(wrote.failed)
	r.whole(ctx, set, v.refused, taken, broken)
	trouble := errors.Join(v.denied, v.refused, taken)
	if err := errors.Join(broken, v.rolling.roll(ctx, out, v.owned, v.changes, errors.Join(broken, trouble))); err != nil {
		return false, at(report.Apply, err)
	}
	if trouble != nil {
		return false, at(report.Plan, trouble)
	}
	busy := len(v.changes.Create)+len(v.changes.Delete) > 0 || wrote.unsure
	return !busy && v.rolling == nil && len(v.word.list) == 0 && v.expansion.Reads.Again == 0, nil
}

// stageError is an error with the stage that it stopped.
type stageError struct {
	error

	stage report.Stage
}

func (e *stageError) Unwrap() error { return e.error }

func at(stage report.Stage, err error) error { return &stageError{err, stage} }

// failed reports an error of a stage.
func failed(out *report.Outcome, err error) error {
	if e := (*stageError)(nil); errors.As(err, &e) {
		return out.Failed(e.stage, e.error)
	}
	return err
}

// warn logs what works as it does in Argo CD but is likely a mistake.
func (r *Reconciler) warn(ctx context.Context, set *v1alpha1.ApplicationSet, e *generate.Expansion) {
	if e == nil {
		return
	}
	for _, w := range e.Warnings {
		r.Log.WarnContext(ctx, w.Message, "applicationset", set.Name, "reason", w.Reason)
	}
}
