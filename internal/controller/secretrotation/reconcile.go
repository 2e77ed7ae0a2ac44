package secretrotation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

// Patcher writes to the cluster.
type Patcher interface {
	Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error
}

// Options of a Reconciler.
type Options struct {
	// Objects reads Secrets, ExternalSecrets and stores of a cache.
	Objects client.Reader
	// Workloads reads Deployments, StatefulSets and DaemonSets of a cache.
	Workloads client.Reader
	// Live lists pods at the API server.
	Live   client.Reader
	Writer Patcher
	// Quiet is how long other changes are waited for after one; ten seconds when 0.
	Quiet time.Duration
	// Now is the clock; the machine's when nil.
	Now func() time.Time
	Log *slog.Logger
}

// Reconciler restarts the workloads of namespaces.
type Reconciler struct {
	Options

	pace   pace
	checks *observe.Checks

	mu    sync.Mutex
	known map[string]map[types.UID]*memo
}

// memo is what is remembered of a workload that is behind, or was restarted here.
type memo struct {
	// first is since when it needs a restart, and restarted when it had its last one.
	first, restarted time.Time
	// followed is for which change that was, and generation what the workload had then:
	// with it, or a later one, the cache shows what became of the mark.
	followed   time.Time
	generation int64
	// lost is for which change somebody was told that the mark was taken away.
	lost time.Time
	// spared is up to which change all that runs is newer. What starts later is newer, too.
	spared time.Time
	// waits is since when an earlier wave is waited for, and told that somebody was told.
	waits time.Time
	told  bool
}

// New returns a Reconciler.
func New(o Options) *Reconciler {
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &Reconciler{Options: o, pace: defaultPace, checks: observe.Standard(), known: map[string]map[types.UID]*memo{}}
	if o.Quiet > 0 {
		r.pace = pace(o.Quiet)
	}
	return r
}

// Reconcile restarts what is behind in one namespace, as far as its turn has come.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	users, err := r.users(ctx, request.Namespace)
	if err != nil {
		return reconcile.Result{}, err
	}
	memos := r.remember(request.Namespace, users)
	if !slices.ContainsFunc(users, func(one *user) bool { return one.behind(one.newest()) }) {
		return reconcile.Result{}, nil
	}
	for _, one := range users {
		if err := r.assess(ctx, one, memos[one.GetUID()]); err != nil {
			return reconcile.Result{}, err
		}
	}
	var soonest time.Duration
	var failed []error
	for _, one := range inOrder(users) {
		pause := one.unsure
		if one.needs {
			if pause, err = r.follow(ctx, one, users, memos[one.GetUID()]); err != nil {
				failed = append(failed, err)
			}
		}
		if pause > 0 && (soonest == 0 || pause < soonest) {
			soonest = pause
		}
	}
	return reconcile.Result{RequeueAfter: soonest}, errors.Join(failed...)
}

// remember has a memo of each workload that is behind or was restarted, and forgets the
// others. One that was restarted is not forgotten with the mark in its template: what
// else writes that may take the mark away, and would have it restarted without end.
func (r *Reconciler) remember(namespace string, users []*user) map[types.UID]*memo {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, now := r.known[namespace], map[types.UID]*memo{}
	for _, one := range users {
		m, behind := old[one.GetUID()], one.behind(one.newest())
		switch {
		case m == nil && behind:
			m = &memo{}
		case m == nil, !behind && m.followed.IsZero():
			continue
		case !behind:
			m.first, m.waits, m.told = time.Time{}, time.Time{}, false
		}
		now[one.GetUID()] = m
	}
	delete(r.known, namespace)
	if len(now) > 0 {
		r.known[namespace] = now
	}
	return now
}

// assess finds out whether a workload has to be restarted, and how it is.
func (r *Reconciler) assess(ctx context.Context, one *user, m *memo) (err error) {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(one.Object)
	if err != nil {
		return fmt.Errorf("cannot read %s %s: %w", one.kind, one.GetName(), err)
	}
	asked := &unstructured.Unstructured{Object: object}
	asked.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind(one.kind))
	if one.health, err = r.checks.Health("", asked); err != nil {
		return fmt.Errorf("cannot assess %s %s: %w", one.kind, one.GetName(), err)
	}
	newest := one.newest()
	if !one.behind(newest) || one.paused || !newest.After(m.spared) {
		return nil
	}
	if one.needs, err = r.runsOlder(ctx, one.workload, newest); err != nil {
		return err
	}
	switch {
	case !one.needs:
		r.spare(one, m)
	case !newest.After(m.followed):
		r.missing(ctx, one, m)
	case m.first.IsZero():
		m.first = r.Now()
	}
	if !m.waits.IsZero() && r.Now().Sub(m.waits) >= patience {
		one.waited = m.waits
	}
	return nil
}

// spare leaves out a workload of which all that runs is newer than a change, when it has
// been long enough that containers from before it are in the status of their pods, which
// comes a moment after they start.
func (r *Reconciler) spare(one *user, m *memo) {
	m.first = time.Time{}
	if one.unsure = one.newest().Add(time.Duration(r.pace)).Sub(r.Now()); one.unsure <= 0 {
		m.spared = one.newest()
	}
}

// missing says, once for a change, that a workload which was restarted for it has no
// mark of that and runs old pods all the same. It is left as it is: another restart
// would end as the first one did. Until the cache shows the first one, others wait for it.
func (r *Reconciler) missing(ctx context.Context, one *user, m *memo) {
	if one.GetGeneration() < m.generation {
		return
	}
	one.needs = false
	if !one.newest().After(m.lost) {
		return
	}
	m.lost = one.newest()
	r.Log.WarnContext(ctx, "a workload keeps an old value of a Secret: it was restarted, and something else that writes its pod template took the restart back",
		"namespace", one.GetNamespace(), "kind", one.kind, "name", one.GetName(), "annotation", annotationMark)
}

// follow restarts a workload, or says after which pause it is looked at again.
func (r *Reconciler) follow(ctx context.Context, one *user, all []*user, m *memo) (time.Duration, error) {
	if !one.newest().After(m.followed) {
		return 0, nil // the cache will show it
	}
	if other := one.blocker(all); other != nil {
		return r.tell(ctx, one, other, m), nil
	}
	m.waits, m.told = time.Time{}, false
	if pause := r.pace.at(one, *m).Sub(r.Now()); pause > 0 {
		return pause, nil
	}
	generation, err := r.restart(ctx, one.workload, one.newest())
	if err != nil {
		return 0, err
	}
	if generation == 0 {
		return time.Duration(r.pace), nil
	}
	m.first, m.restarted, m.followed, m.generation = time.Time{}, r.Now(), one.newest(), generation
	r.Log.InfoContext(ctx, "a workload is restarted, as a Secret changed that it uses", "namespace", one.GetNamespace(), "kind", one.kind, "name", one.GetName())
	return 0, nil
}

// patience is how long a wave may take to become healthy before that is told, and a
// rollout before it gives way to the next restart: as long as Deployments have for it.
const patience = 10 * time.Minute

// tell says, once, that a workload keeps an old value as an earlier wave is not well.
// It says after which pause that is looked at.
func (r *Reconciler) tell(ctx context.Context, one, other *user, m *memo) time.Duration {
	if m.told {
		return 0
	}
	if m.waits.IsZero() {
		m.waits = r.Now()
	}
	if left := patience - r.Now().Sub(m.waits); other.health.Code != gitops.Degraded && left > 0 {
		return left
	}
	m.told = true
	r.Log.WarnContext(ctx, "a workload is not restarted for a Secret that changed: an earlier wave is not healthy", "namespace", one.GetNamespace(),
		"kind", one.kind, "name", one.GetName(), "waits_for", other.kind+" "+other.GetName(), "health", string(other.health.Code), "message", other.health.Message)
	return 0
}
