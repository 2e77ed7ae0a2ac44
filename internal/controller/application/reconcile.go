// Package application brings Applications to what Git says and keeps them so:
// it runs the stages of the engine one after the other for one Application.
//
// It decides when to sync and remembers how far a sync has come. How things
// are fetched, rendered, compared, applied and judged is the stages' own.
package application

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/appcache"
	"github.com/causeway-gitops/causeway/internal/controller/application/claims"
	"github.com/causeway-gitops/causeway/internal/controller/application/deletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/dependency"
	"github.com/causeway-gitops/causeway/internal/controller/application/journal"
	"github.com/causeway-gitops/causeway/internal/controller/application/massdeletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/report"
	"github.com/causeway-gitops/causeway/internal/room"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Fetcher resolves source references to snapshots.
type Fetcher interface {
	Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error)
	// Verify checks the signatures of what a reference resolved to.
	Verify(ctx context.Context, ref gitops.SourceRef, revision string, rule gitops.SignatureRule) error
	// Renew has the repositories of references looked up again, if all can be.
	Renew(refs ...gitops.SourceRef)
}

// Renderer turns an application's snapshots into manifests.
type Renderer interface {
	// Application takes room for the manifests; the error is room.ErrNoRoom where
	// the work of the context finds none.
	Application(ctx context.Context, in render.Input) (*gitops.Rendering, error)
	// Forget drops what is kept of an application.
	Forget(namespace, name string)
}

// Options are the parts of a Reconciler.
type Options struct {
	// Namespace is the control namespace, where AppProjects live.
	Namespace string
	Apps      *appcache.Apps
	Projects  state.Projects
	Fetch     Fetcher
	Render    Renderer
	Fleet     state.Fleet
	Apply     Applier
	Memo      *compare.Memo
	Report    *report.Reporter
	// Checks sum up the health of objects; those of a bare installation when nil.
	Checks *observe.Checks
	// Settings are what the installation says of rendering now; nothing when nil.
	Settings func() source.Settings
	// Comparing is what the installation says of comparisons now; nothing when nil.
	Comparing func() *plan.Settings
	// Tracking is how objects are marked now; by annotation when nil.
	Tracking func() gitops.Tracking
	// Acting is as whom syncs write now; as the engine when nil.
	Acting func() policy.Acting
	// Rendered is told of each render of an Application, also of one that failed.
	Rendered func(types.NamespacedName)
	// StuckAfter is how long a deletion may wait for one thing until that is
	// shown as an error; a minute when zero.
	StuckAfter time.Duration
	// ProgressPause is how old the words about something that progresses may
	// get: counts of replicas alone wake nobody; 5 seconds when 0.
	ProgressPause time.Duration
	// DeletionPause is how soon a deletion that waits is looked at without an
	// event, and the first before hooks of it that failed are run again; 10
	// seconds when 0.
	DeletionPause time.Duration
	// Looks has what each Application was compared with last; nothing when nil.
	Looks *comparisons.Book
	// Dependencies has what waits for dependencies; nobody is woken when nil.
	Dependencies *dependency.Register
	// Compared is told of each Application that was compared, with its status
	// as it is to be written and the revisions; nobody when nil.
	Compared func(app *v1alpha1.Application, revisions []string)
	// Deleted is told what was deleted in clusters, but for what the record of a sync
	// says of its pruning; nobody when nil.
	Deleted func(deletion.Notice)
	// Guard holds mass deletions; nothing does when nil.
	Guard *massdeletion.Guard
	// OnGone is told of an Application that is no longer there; nobody when nil.
	OnGone func(types.NamespacedName)
	// Recorder keeps what syncs did; nothing does when nil.
	Recorder journal.Recorder
	// Past tells what syncs did before; nothing is known when nil.
	Past Past
	// Room is what manifests are in while they are compared and applied; there is
	// room for all when nil.
	Room *room.Room
	// Seal tells what the engine wrote into operations; one that ends with the
	// process when nil.
	Seal *operation.Seal
	Log  *slog.Logger
	Now  func() time.Time
}

// Reconciler reconciles Applications.
type Reconciler struct {
	Options

	attempts   *state.Attempts
	pending    *state.PendingStatuses
	journal    *journal.Journal
	milestones *journal.Milestones
	seen       *seen
	stuck      *deletion.Stuck
	claims     *claims.Judge
}

// New returns a Reconciler.
func New(o Options) *Reconciler {
	if o.Checks == nil {
		o.Checks = observe.New()
	}
	if o.Seal == nil {
		o.Seal = operation.NewSeal(nil)
	}
	o.ProgressPause, o.DeletionPause = cmp.Or(o.ProgressPause, progressPause), cmp.Or(o.DeletionPause, deletion.Pause)
	o.StuckAfter = cmp.Or(o.StuckAfter, deletion.StuckAfter)
	r := &Reconciler{
		Options: o, attempts: state.NewAttempts(), pending: state.NewPendingStatuses(), seen: newSeen(), stuck: deletion.NewStuck(),
		journal: journal.NewJournal(o.Recorder, o.Now), milestones: journal.NewMilestones(o.Recorder, o.Now),
	}
	r.claims = claims.New(claims.Options{Seal: o.Seal, Began: r.began, Log: o.Log, Now: o.Now})
	return r
}

// steady is how long after a quiet reconcile an application is looked at
// again although nothing has called for it.
const steady = 10 * time.Minute

// Reconcile brings one Application to what Git says.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	app, err := r.read(ctx, req.NamespacedName)
	if app == nil || v1alpha1.SkipsReconcile(app.Annotations) {
		return reconcile.Result{}, err
	}
	ctx, guest := r.enter(ctx, app)
	defer guest.End()
	return r.visit(ctx, app, guest)
}

// visit is Reconcile of an Application that was read, with what it has in memory on
// the account of a guest.
func (r *Reconciler) visit(ctx context.Context, app *v1alpha1.Application, guest *room.Guest) (res reconcile.Result, err error) {
	out := r.Report.Begin(ctx, app)
	ctx = slots.ForProject(ctx, app.Spec.GetProject())
	found, paused := r.resume(ctx, out, app)
	if paused {
		return r.rest(out, app, found)
	}
	v := &visit{out: out, app: app, found: found}
	defer func() { res, err = r.end(ctx, v, guest, err) }()
	if removing(app) {
		return reconcile.Result{}, r.remove(ctx, v)
	}
	return reconcile.Result{}, r.reconcile(ctx, v)
}

// visit is one reconcile of an Application, and how far it has come.
type visit struct {
	out *report.Outcome
	app *v1alpha1.Application
	// found is the operation as it was read.
	found state.AsRead
	// target is nil until the spec is admitted, and compared until the comparison
	// that the operation was decided by.
	target   *state.Target
	compared *state.Comparison
}

// reconcile brings an Application to what Git says: it compares, decides, operates,
// observes and reports.
func (r *Reconciler) reconcile(ctx context.Context, v *visit) error {
	compared, err := r.compare(ctx, v)
	if err != nil {
		return err
	}
	ctx = difference.Share(ctx, v.app.Spec.GetProject())
	runs, err := r.decide(ctx, v.out, v.target, compared)
	if err != nil {
		return v.out.Failed(stageOf(err), err)
	}
	before := v.app.Status
	ran, err := r.operate(ctx, v, compared, runs)
	if err != nil {
		return v.out.Failed(stageOf(err), err)
	}
	observed, err := r.observe(ctx, v.target, compared, ran)
	if err != nil {
		return v.out.Failed(stageOf(err), err)
	}
	r.report(ctx, v, observed, &before, ran)
	return nil
}

// end writes what a visit has found out, whichever way it ended.
func (r *Reconciler) end(ctx context.Context, v *visit, guest *room.Guest, err error) (reconcile.Result, error) {
	if noRoom(err) {
		return r.comeAgain(ctx, v.app, guest, v.found), nil
	}
	r.endRequest(v.out, v.app, err)
	r.endTerminated(v.out, v.app, err)
	r.claims.Own(v.app, v.found)
	r.milestones.Note(v.out, v.target, v.compared)
	res, err := v.out.End(err)
	if err != nil {
		r.pending.Keep(v.out.Before(), v.app)
	}
	return res, err
}

// read returns an Application; nil when there is none to act on.
func (r *Reconciler) read(ctx context.Context, name types.NamespacedName) (*v1alpha1.Application, error) {
	app, err := r.Apps.Get(ctx, name)
	switch {
	case err == nil && app.Outlined != "":
		return nil, r.outlined(ctx, app)
	case err == nil:
		return app, nil
	}
	r.forget(name)
	if apierrors.IsNotFound(err) {
		if r.OnGone != nil {
			r.OnGone(name)
		}
	}
	return nil, client.IgnoreNotFound(err)
}

// outlined tells of an Application of which only an outline is kept. Of that its
// conditions and its state are written, and all else stays as it is.
func (r *Reconciler) outlined(ctx context.Context, app *v1alpha1.Application) error {
	if v1alpha1.SkipsReconcile(app.Annotations) {
		return nil
	}
	out := r.Report.Begin(ctx, app)
	_, err := out.End(out.Failed(report.Spec, gitops.Problemf(gitops.Invalid, "%s", app.Outlined)))
	return err
}

// stageOf tells a comparison that cannot be made as it is asked for, after
// which nobody knows whether the application is in sync, from a cluster that
// does not do what it is told.
func stageOf(err error) report.Stage {
	if report.Classify(err) == report.Terminal {
		return report.Plan
	}
	return report.Apply
}

// takeRefresh takes the refresh annotation away, whatever comes of it: it goes
// with the next status write. Empty when there is none.
func takeRefresh(app *v1alpha1.Application) v1alpha1.RefreshType {
	kind, ok := app.RefreshRequested()
	if !ok {
		return ""
	}
	delete(app.Annotations, v1alpha1.AnnotationRefresh)
	return kind
}

// refresh looks the repositories up again, and asks a cluster that does not
// answer; a hard one renders and plans anew, too. Only what the project permits
// is looked up: with a repository goes its credential, and what others know of it.
func (r *Reconciler) refresh(t *state.Target, kind v1alpha1.RefreshType) {
	if kind == "" {
		return
	}
	t.Asked = true
	t.Cluster.Redial()
	refs := make([]gitops.SourceRef, len(t.Sources))
	for i := range t.Sources {
		refs[i] = gitops.SourceOf(t.App, &t.Sources[i], t.Sources[i].TargetRevision)
	}
	r.Fetch.Renew(refs...)
	if kind == v1alpha1.RefreshTypeHard {
		r.attempts.Forget(client.ObjectKeyFromObject(t.App))
		r.Render.Forget(t.App.Namespace, t.App.Name)
	}
}

func (r *Reconciler) forget(name types.NamespacedName) {
	r.Report.Forget(name)
	r.Dependencies.Forget(name)
	r.attempts.Forget(name)
	r.pending.Forget(name)
	r.journal.Forget(name)
	r.milestones.Forget(name)
	r.seen.forget(name)
	r.stuck.Forget(name)
	r.Room.Forget(name.String())
	r.claims.Forget(name)
	r.forgetGuarded(name)
	r.Render.Forget(name.Namespace, name.Name)
	r.Fleet.Forget(gitops.TrackingName(name.Namespace, name.Name, r.Namespace))
}
