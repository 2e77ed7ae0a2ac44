package secretrotation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	// Objects reads Secrets, ExternalSecrets, stores and workloads of a cache.
	Objects client.Reader
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

// memo is what is remembered of a workload that is behind.
type memo struct {
	// first is when it was seen that it needs a restart, and restarted when it had one: the
	// cache shows that a moment later.
	first, restarted time.Time
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
	if len(memos) == 0 {
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
		if !one.needs {
			continue
		}
		pause, err := r.follow(ctx, one, users, memos[one.GetUID()])
		if err != nil {
			failed = append(failed, err)
		}
		if pause > 0 && (soonest == 0 || pause < soonest) {
			soonest = pause
		}
	}
	return reconcile.Result{RequeueAfter: soonest}, errors.Join(failed...)
}

// remember has a memo of each workload that is behind, and forgets the others.
func (r *Reconciler) remember(namespace string, users []*user) map[types.UID]*memo {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, now := r.known[namespace], map[types.UID]*memo{}
	for _, one := range users {
		if !one.behind(one.newest()) {
			continue
		}
		now[one.GetUID()] = old[one.GetUID()]
		if now[one.GetUID()] == nil {
			now[one.GetUID()] = &memo{}
		}
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
	if m == nil || one.paused || !one.newest().After(m.spared) {
		return nil
	}
	if one.needs, err = r.runsOlder(ctx, one.workload, one.newest()); err != nil {
		return err
	}
	switch {
	case !one.needs:
		m.spared, m.first = one.newest(), time.Time{}
	case m.first.IsZero():
		m.first = r.Now()
	}
	return nil
}

// follow restarts a workload, or says after which pause it is looked at again.
func (r *Reconciler) follow(ctx context.Context, one *user, all []*user, m *memo) (time.Duration, error) {
	if other := one.blocker(all); other != nil {
		return r.tell(ctx, one, other, m), nil
	}
	m.waits, m.told = time.Time{}, false
	if pause := r.pace.at(one, *m).Sub(r.Now()); pause > 0 {
		return pause, nil
	}
	if err := r.restart(ctx, one.workload, one.newest()); err != nil {
		return 0, err
	}
	m.restarted = r.Now()
	r.Log.InfoContext(ctx, "a workload is restarted, as a Secret changed that it uses", "namespace", one.GetNamespace(), "kind", one.kind, "name", one.GetName())
	return 0, nil
}

// patience is how long a wave may take to become healthy before that is told: as long
// as Deployments have for it.
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
