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

// Reconciler reconciles ApplicationSets.
type Reconciler struct {
	client   client.Client
	generate Generator
	report   *report.Reporter
	readers  *Readers
	rollouts *Rollouts
	looks    *comparisons.Book
	lookAnew func(set types.NamespacedName)
	guard    *Guard
	seal     *operation.Seal
	log      *slog.Logger
}

// New returns a Reconciler. Readers learns what each set reads; lookAnew is
// called before a set is expanded for which somebody wants that to be read
// again, whatever is remembered of it. Rollouts and looks are what roll-outs
// in steps go by.
func New(c client.Client, g Generator, r *report.Reporter, readers *Readers, rollouts *Rollouts, looks *comparisons.Book, lookAnew func(set types.NamespacedName), log *slog.Logger) *Reconciler {
	return &Reconciler{client: c, generate: g, report: r, readers: readers, rollouts: rollouts, looks: looks, lookAnew: lookAnew, log: log}
}

// Reconcile brings the Applications of one set to what the set says. When
// anything in the expansion fails, none of them is touched.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (res reconcile.Result, err error) {
	set := &v1alpha1.ApplicationSet{}
	if err := r.client.Get(ctx, req.NamespacedName, set); err != nil {
		r.readers.Forget(req.NamespacedName)
		r.rollouts.forget(req.NamespacedName)
		r.forgetHeld(req.NamespacedName)
		r.report.Forget(req.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if set.Outlined != "" {
		out := r.report.Begin(ctx, set)
		return out.End(out.Failed(report.Generate, gitops.Problemf(gitops.Invalid, "%s", set.Outlined)))
	}
	if !set.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, r.dismantle(ctx, set)
	}
	if err := r.secure(ctx, set); err != nil {
		return reconcile.Result{}, err
	}
	out := r.report.Begin(ctx, set)
	defer func() {
		fit(set)
		if res, err = out.End(err); err != nil {
			r.readers.Stale(req.NamespacedName) // the status is not written: it is found out again
		}
	}()
	if _, asked := set.Annotations[v1alpha1.AnnotationApplicationSetRefresh]; !asked && r.readers.isSettled(set) {
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

func (r *Reconciler) expand(ctx context.Context, set *v1alpha1.ApplicationSet, out *report.Outcome) error {
	ctx = generate.Comparing(ctx, set)
	name := client.ObjectKeyFromObject(set)
	r.readers.Expanding(set)
	expansion, err := r.generate.Applications(ctx, set)
	defer expansion.Release()
	r.warn(ctx, set, expansion)
	if expansion != nil && expansion.Reads.Again > 0 {
		out.Again(expansion.Reads.Again) // also after a failure: nothing tells that a host or plugin is back
	}
	if err != nil {
		r.readers.LearnOfFailure(name, expansion)
		stalled(set, err)
		return out.Failed(report.Generate, err)
	}
	unresolved(set, expansion.Unresolved)
	owned, err := r.owned(ctx, set)
	if err == nil {
		err = expansion.Withhold(ctx, owned)
	}
	r.readers.Learn(name, expansion)
	if err != nil {
		stalled(set, err)
		return out.Failed(report.Plan, err)
	}
	rolling, err := r.roller(set, expansion)
	if err != nil {
		return out.Failed(report.Plan, err)
	}
	changes, err := generate.Plan(ctx, set, owned, expansion)
	if err != nil {
		stalled(set, err)
		return out.Failed(report.Plan, err)
	}
	held := hold(changes, set, expansion)
	word, denied := r.guarded(ctx, out, set, owned, expansion, changes)
	refused := rejected(expansion, held)
	if rolling == nil { // a roll-out goes by what all of them are
		expansion.Leave(changes)
	}
	exist, wrote := r.apply(ctx, set, owned, changes)
	r.readers.learnOfWrites(name, wrote, out)
	r.tell(set, exist, word)
	idle := len(changes.Create)+len(changes.Delete) == 0 && !wrote.unsure
	join := joins(expansion)
	taken := join(wrote.refusals())
	err = join(wrote.failed)
	r.whole(ctx, set, refused, taken, err)
	trouble := errors.Join(denied, refused, taken)
	if err := errors.Join(err, rolling.roll(ctx, out, owned, changes, errors.Join(err, trouble))); err != nil {
		return out.Failed(report.Apply, err)
	}
	if trouble != nil {
		return out.Failed(report.Plan, trouble)
	}
	if idle && rolling == nil && len(word.list) == 0 && expansion.Reads.Again == 0 {
		r.readers.settle(set)
	}
	return nil
}

// warn logs what works as it does in Argo CD but is likely a mistake.
func (r *Reconciler) warn(ctx context.Context, set *v1alpha1.ApplicationSet, e *generate.Expansion) {
	if e == nil {
		return
	}
	for _, w := range e.Warnings {
		r.log.WarnContext(ctx, w.Message, "applicationset", set.Name, "reason", w.Reason)
	}
}
