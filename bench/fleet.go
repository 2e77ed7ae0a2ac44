package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// patience bounds each wait of a measurement.
const patience = 10 * time.Minute

// fleet measures from the first Application created to the last one Synced
// and Healthy.
func (b *bench) fleet(ctx context.Context, w *world, l limits) error {
	finish, err := b.profile(ctx, w, 2*l.raw.wall)
	if err != nil {
		return err
	}
	s, err := w.sync(ctx)
	if err := errors.Join(err, finish()); err != nil {
		return err
	}
	b.out.row("fleet: first Application created → all Synced and Healthy", seconds(s.wall), times(s.wall, l.raw.wall), against(s.wall, l.fair.wall))
	b.out.row("  of which creating the Applications", seconds(s.created))
	b.out.row("  CPU of the engine", seconds(s.cpu))
	b.out.row("  CPU of the control plane", seconds(s.plane), times(s.plane, l.raw.plane), against(s.plane, l.fair.plane))
	b.out.row("  peak memory of the engine", mebibytes(s.peak), fmt.Sprintf("%d KiB an application", s.peak>>10/int64(w.apps)))
	b.out.row("  API requests an application", fmt.Sprintf("%.1f", float64(sum(s.requests))/float64(w.apps)), verbs(s.requests))
	b.out.row("  renders", fmt.Sprintf("%.0f", s.renders))
	return nil
}

func (w *world) createApps(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(rawInFlight)
	for i := range w.apps {
		g.Go(func() error { return w.client.Create(ctx, application(i)) })
	}
	return g.Wait()
}

// application is one that is synced and healed by itself.
func application(i int) *v1alpha1.Application { return applicationNamed(appName(i)) }

func applicationNamed(name string) *v1alpha1.Application {
	yes := true
	return &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: v1alpha1.ApplicationSpec{
			Project:     "default",
			Source:      &v1alpha1.ApplicationSource{RepoURL: repoURL, Path: "apps/" + name, TargetRevision: "main"},
			Destination: v1alpha1.ApplicationDestination{Server: "https://kubernetes.default.svc", Namespace: name},
			SyncPolicy: &v1alpha1.SyncPolicy{
				Automated:   &v1alpha1.SyncPolicyAutomated{Prune: &yes, SelfHeal: &yes},
				SyncOptions: v1alpha1.SyncOptions{"CreateNamespace=true"},
			},
		},
	}
}

// allGood waits until every Application is Synced and Healthy. A watch that
// the server ends, as it does when a definition is new, is begun again.
func (w *world) allGood(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	good := map[string]bool{}
	for ctx.Err() == nil {
		events, err := w.client.Watch(ctx, &v1alpha1.ApplicationList{}, client.InNamespace(namespace))
		if err != nil {
			return err
		}
		if w.follow(events, good) {
			return nil
		}
	}
	return fmt.Errorf("not all Applications are Synced and Healthy after %s; the engine's log is %s", patience, w.engine.log.Name())
}

// follow notes who is good until all are, or the watch ends.
func (w *world) follow(events watch.Interface, good map[string]bool) bool {
	defer events.Stop()
	for event := range events.ResultChan() {
		app, ok := event.Object.(*v1alpha1.Application)
		if !ok {
			return false
		}
		if app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && app.Status.Health.Status == v1alpha1.HealthStatusHealthy {
			good[app.Name] = true
		} else {
			delete(good, app.Name)
		}
		if len(good) == w.apps {
			return true
		}
	}
	return false
}

// commit measures from a commit of one application to its live object.
func (b *bench) commit(ctx context.Context, w *world) error {
	before, err := w.engine.usage(ctx)
	if err != nil {
		return err
	}
	if err := w.write("apps/"+appName(7)+"/all.yaml", manifests(appName(7), 2)); err != nil {
		return err
	}
	if err := w.commit(ctx, "change one application"); err != nil {
		return err
	}
	begin := time.Now()
	err = w.poll(ctx, func() (bool, error) {
		cm := &corev1.ConfigMap{}
		err := w.client.Get(ctx, types.NamespacedName{Namespace: appName(7), Name: "settings"}, cm)
		return err == nil && cm.Data["version"] == "2", err
	})
	if err != nil {
		return err
	}
	took := time.Since(begin)
	after, err := w.settled(ctx)
	if err != nil {
		return err
	}
	b.out.row("commit: one application changed → live object", seconds(took), "")
	b.out.row("  renders done (must be 1)", fmt.Sprintf("%.0f", after.renders-before.renders), "")
	return nil
}

// noop measures a commit that concerns no application.
func (b *bench) noop(ctx context.Context, w *world) error {
	l, err := w.look(ctx)
	if err != nil {
		return err
	}
	b.out.row("noop: a commit that touches none")
	b.out.row("  renders done (must be 0)", fmt.Sprintf("%.0f", l.renders))
	b.out.row("  CPU of the engine", seconds(l.cpu), verbs(l.requests))
	return nil
}

// heal measures from a deletion by hand to the object's return, several times
// in a row.
func (b *bench) heal(ctx context.Context, w *world) error {
	const rounds = 5
	var all []string
	for range rounds {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: appName(3), Name: "settings"}}
		if err := w.client.Get(ctx, client.ObjectKeyFromObject(cm), cm); err != nil {
			return err
		}
		uid := cm.UID
		begin := time.Now()
		if err := w.client.Delete(ctx, cm); err != nil {
			return err
		}
		err := w.poll(ctx, func() (bool, error) {
			now := &corev1.ConfigMap{}
			err := w.client.Get(ctx, client.ObjectKeyFromObject(cm), now)
			return err == nil && now.UID != uid, client.IgnoreNotFound(err)
		})
		if err != nil {
			return err
		}
		all = append(all, fmt.Sprintf("%.2f", time.Since(begin).Seconds()))
	}
	b.out.row("heal: object deleted by hand → back, five times in a row", strings.Join(all, " ")+" s", "")
	return nil
}

// idle measures a minute in which nothing happens.
func (b *bench) idle(ctx context.Context, w *world) error {
	before, err := w.settled(ctx)
	if err != nil {
		return err
	}
	if err := pause(ctx, time.Minute); err != nil {
		return err
	}
	after, err := w.engine.usage(ctx)
	if err != nil {
		return err
	}
	used := difference(after.requests, before.requests)
	b.out.row("idle: CPU of the engine in a minute", seconds(after.cpu-before.cpu), "")
	b.out.row("  API requests in a minute", strconv.Itoa(sum(used)), verbs(used))
	b.out.row("  memory of the engine", mebibytes(after.resident), "")
	return nil
}

// quiet is the CPU in a second below which the engine is taken for idle, probing what it costs to look in a second
// for one more cluster that does not answer: for its first minutes each is asked again twice a minute, and there may be thousands.
const (
	quiet   = 100 * time.Millisecond
	probing = 25 * time.Microsecond
)

// settled waits until the engine has used no CPU to speak of for a second. Its
// metrics are read after that alone: to collect them is work.
func (w *world) settled(ctx context.Context) (usage, error) {
	pid := w.engine.cmd.Process.Pid
	last, err := cpuOf(pid)
	for err == nil {
		if err = pause(ctx, time.Second); err != nil {
			break
		}
		var now time.Duration
		if now, err = cpuOf(pid); err == nil && now-last < quiet+time.Duration(w.silent)*probing {
			return w.engine.usage(ctx)
		}
		last = now
	}
	return usage{}, err
}

func (w *world) poll(ctx context.Context, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

func difference(a, b map[string]int) map[string]int {
	out := map[string]int{}
	for k, v := range a {
		if v -= b[k]; v > 0 {
			out[k] = v
		}
	}
	return out
}

func sum(m map[string]int) int {
	n := 0
	for _, v := range m {
		n += v
	}
	return n
}

func verbs(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(parts, ", ")
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }
