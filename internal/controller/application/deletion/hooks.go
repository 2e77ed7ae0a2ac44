package deletion

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/room"
)

// MarkHooks gives an Application the finalizers of the hooks of deletion that
// its manifests have, and takes those off that nothing stands behind.
func MarkHooks(app *v1alpha1.Application, set *plan.Set) {
	for _, of := range [...]struct {
		finalizer string
		phase     gitops.Phase
	}{{v1alpha1.FinalizerPreDelete, gitops.PreDelete}, {v1alpha1.FinalizerPostDelete, gitops.PostDelete}} {
		wanted := set.DeletionHooks(of.phase) != nil
		for _, f := range []string{of.finalizer, of.finalizer + cleanup} {
			has := slices.Contains(app.Finalizers, f)
			if has && !wanted {
				app.Finalizers = slices.DeleteFunc(app.Finalizers, is(f))
			}
			if wanted && !has {
				app.Finalizers = append(app.Finalizers, f)
			}
		}
	}
}

// hookTry is what is known of the hooks that run in a deletion.
type hookTry struct {
	// started are the objects that were made in this deletion.
	started map[types.UID]bool
	// failures in a row, and when the next try is due.
	failures int
	again    time.Time
}

// mostHookPause is the longest before hooks of deletion that failed are run
// again. Until then their objects stay, for a person to look at.
const mostHookPause = 5 * time.Minute

// failed begins the pause after a failure, which is at first as long as given.
func (t *hookTry) failed(now time.Time, pause time.Duration) {
	if t.again.IsZero() {
		t.again = now.Add(min(pause<<min(t.failures, 8), mostHookPause))
		t.failures++
	}
}

// due reports whether the pause after a failure is over, and ends it.
func (t *hookTry) due(now time.Time) bool {
	if t.again.IsZero() || now.Before(t.again) {
		return false
	}
	t.again = time.Time{}
	return true
}

// runHooks runs the hooks of one phase of the deletion, wave after wave, and
// is over when all of them are healthy. They have to be rendered for that.
func (r *Remover) runHooks(ctx context.Context, d *Removal, phase gitops.Phase) error {
	h, err := r.planHooks(ctx, d, phase)
	if errors.Is(err, room.ErrNoRoom) {
		return err
	}
	if err != nil {
		return optional{gitops.Problemf(gitops.Unreachable, "cannot run the %s hooks: %w", phase, err).
			Do("repair that; to delete the Application without its hooks: causeway delete " + opstate.Called(d.App, r.Namespace) + " --no-hooks")}
	}
	if h == nil {
		return nil
	}
	try, now := r.Stuck.try(client.ObjectKeyFromObject(d.App)), r.Now()
	if try.due(now) {
		repeat(h.plan)
	}
	var progress plan.Progress
	var step plan.Step
	for {
		step = plan.Next(h.plan, &progress, func(k gitops.Key) *gitops.Live { return h.live[k] })
		r.Hooks.LetGo(ctx, h.Target, &progress)
		if step.Wave == nil || step.Again || ctx.Err() != nil {
			break
		}
		results := r.Hooks.Wave(ctx, h.Target, *step.Wave)
		r.notify(d, MadeAnew, results)
		for _, result := range results {
			if result.Live == nil {
				continue
			}
			h.live[result.Key] = result.Live
			d.Cluster.Put(result.Live)
			try.started[result.Live.UID] = true
		}
		progress.Advance(step, results)
	}
	recordHooks(d.App, progress.Results(h.plan))
	if hooksFailed(step) {
		try.failed(now, r.Pause)
	}
	return r.concludeHooks(d, try, phase, step)
}

func hooksFailed(step plan.Step) bool { return step.Failed || len(step.Errors) > 0 }

// concludeHooks turns where the hooks stand into what is waited for.
func (r *Remover) concludeHooks(d *Removal, try *hookTry, phase gitops.Phase, step plan.Step) error {
	without := "causeway delete " + opstate.Called(d.App, r.Namespace) + " --no-hooks"
	switch {
	case hooksFailed(step):
		return optional{gitops.Problemf(gitops.Unreachable, "cannot delete: a %s hook failed, and is run again in a while: %s", phase, opstate.Failure(step)).
			Do("mend the hook in its source; to delete the Application without its hooks: " + without)}
	case !step.Done:
		return &expected{what: hooksAwaited(phase, step), problem: gitops.Problemf(gitops.NotReady, "running the %s hooks: %s", phase, opstate.WaitingFor(step)).
			Do("to delete the Application without its hooks: " + without)}
	}
	*try = hookTry{started: map[types.UID]bool{}}
	return nil
}

// hooksAwaited is which hook is waited for, whatever its health says by now.
func hooksAwaited(phase gitops.Phase, step plan.Step) string {
	if len(step.Waiting) == 0 {
		return string(phase)
	}
	return string(phase) + " " + step.Waiting[0].Key.String()
}

// hooksTarget is where the hooks of a deletion run: the cluster that it is about.
func (r *Remover) hooksTarget(ctx context.Context, d *Removal) (*state.Target, error) {
	t, err := r.Hooks.Target(ctx, d.App)
	switch {
	case err != nil:
		return nil, err
	case t.Refusal != nil:
		return nil, t.Refusal
	case t.Cluster.Desc().Server != d.Cluster.Desc().Server:
		return nil, gitops.Problemf(gitops.NotReady, "cannot plan the hooks: the destination has become another cluster")
	}
	return t, nil
}

// hooksOf are the hooks of a phase of a deletion, with what is there of them.
type hooksOf struct {
	*state.Target

	plan *gitops.Plan
	live map[gitops.Key]*gitops.Live
}

// planHooks renders the hooks of a phase and plans those that have not run
// yet; nil when there are none.
func (r *Remover) planHooks(ctx context.Context, d *Removal, phase gitops.Phase) (*hooksOf, error) {
	t, err := r.hooksTarget(ctx, d)
	if err != nil {
		return nil, err
	}
	rendering, err := r.Hooks.Render(ctx, t)
	if err != nil {
		return nil, err
	}
	all, err := r.Comparer.Desired(&t.Subject, rendering)
	if err != nil {
		return nil, err
	}
	set := all.DeletionHooks(phase)
	if set == nil {
		return nil, nil
	}
	live, err := t.Live(ctx, set)
	if err != nil {
		return nil, err
	}
	t.LeaveForeign(set, live)
	taken, err := r.Comparer.Taken(ctx, d.App.UID, t.Cluster, set.Keys())
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(live, func(k gitops.Key, l *gitops.Live) bool {
		return !plan.DeletionHook(l.Annotations, phase) && taken[k] == "" && !r.staysAfter(ctx, t, l)
	})
	started := r.Stuck.try(client.ObjectKeyFromObject(d.App)).started
	p, err := plan.Make(plan.Input{
		Set: set, Live: live, Hooks: true, Revision: opstate.First(rendering.Revisions), Started: d.App.DeletionTimestamp.Time,
		Gone:     func(tracking string, held gitops.Key) bool { return r.Comparer.LetsGo(ctx, tracking, held) },
		Taken:    func([]gitops.Key) (map[gitops.Key]string, error) { return taken, nil },
		Approved: true, // a person has asked for the deletion
		Ran: func(_ gitops.Phase, k gitops.Key) plan.HookState {
			if l := live[k]; l != nil && (started[l.UID] || !l.Created.Before(d.App.DeletionTimestamp.Time)) {
				return plan.HookStarted
			}
			return plan.HookPending
		},
	})
	if err != nil {
		return nil, err
	}
	if _, problems := t.Refusals(p); len(problems) > 0 {
		return nil, errors.New(opstate.Told(problems))
	}
	if _, problems := state.Faults(p); len(problems) > 0 {
		return nil, errors.New(opstate.Told(problems))
	}
	return &hooksOf{Target: t, plan: p, live: live}, nil
}

// staysAfter reports whether a live object stays when its Application goes, so
// that no hook of the deletion may be made of it: another application's, or one
// that says so. Definitions stay as well; none is made a hook unseen.
func (r *Remover) staysAfter(ctx context.Context, t *state.Target, l *gitops.Live) bool {
	maker, ok := plan.Maker(l)
	if ok && maker != t.Tracking {
		return !r.Comparer.LetsGo(ctx, maker, l.Key)
	}
	return ok && plan.Survives(l, t.Options)
}

// repeat lets hooks that failed be made anew. As in Argo CD this does not
// depend on their delete policies.
func repeat(p *gitops.Plan) {
	for a := range p.All() {
		if a.Verb != gitops.Keep || a.Live.Health.Code != gitops.Degraded {
			continue
		}
		a.Verb, a.Recreate, a.Reason = gitops.Create, true, "the hook failed and is run again"
	}
}

// recordHooks notes the hooks in the status, so that their kinds are known to
// an engine that starts in the midst of the deletion.
func recordHooks(app *v1alpha1.Application, results []gitops.Result) {
	noted := make(map[gitops.Key]bool, len(app.Status.Resources))
	for i := range app.Status.Resources {
		k, _ := compare.OwnKey(&app.Status.Resources[i])
		noted[k] = true
	}
	for i := range results {
		k := results[i].Key
		if noted[k] || results[i].Live == nil {
			continue
		}
		noted[k] = true
		app.Status.Resources = append(app.Status.Resources, v1alpha1.ResourceStatus{
			Group: k.Group, Version: results[i].Version, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name, Hook: true,
		})
	}
}

// CleanHooks deletes the objects of hooks that have run, where their delete
// policy says so, and waits until they are gone.
func (r *Remover) CleanHooks(ctx context.Context, d *Removal, phase gitops.Phase) error {
	live, err := d.Cluster.Live(ctx, d.Tracking, d.kinds(), nil)
	if err != nil {
		return err
	}
	d, err = r.now(ctx, d)
	if err != nil {
		return err
	}
	var left []*gitops.Live
	for key, l := range live {
		if plan.Owned(l, d.Tracking) && plan.DeletionHook(l.Annotations, phase) && plan.DeletesAfterSuccess(l.Annotations) && d.permits(key) {
			left = append(left, l)
		}
	}
	if len(left) == 0 {
		return nil
	}
	slices.SortFunc(left, func(a, b *gitops.Live) int { return cmp.Compare(a.Key.String(), b.Key.String()) })
	outcome := r.Apply.Wave(ctx, d.Writer, gitops.Wave{Phase: phase, Actions: deletions(left, gitops.DeleteBackground)})
	r.notify(d, HasRun, outcome)
	for _, result := range outcome {
		if result.Err != nil {
			return result.Err
		}
	}
	return &Blocked{cluster: d.Cluster, object: longest(left), left: len(left)}
}
