//go:build e2e

package corpus

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/await"
)

// stuckAfter is how long nothing moves until a wait is given up early.
var stuckAfter = await.Limit / 2

// TestCorpus runs one repository after the other on one fleet. Each is removed through the engine before the next.
func TestCorpus(t *testing.T) {
	root := sharedRoot(t)
	f := startFleet(t)
	for _, s := range suites {
		if !t.Run(s.name, func(t *testing.T) { runSuite(t, f, s, root) }) {
			f = startFleet(t) // what the failed one left would fail the next
		}
	}
}

// run is one suite on the fleet.
type run struct {
	*world
	*fleet

	hub client.Reader
	// live are the Applications of the last look.
	live  map[string]*v1alpha1.Application
	begin time.Time
}

func runSuite(t *testing.T, f *fleet, s suite, root string) {
	w, err := newWorld(t.Context(), s, root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.connect(w.given), f.connect(w.all)); err != nil {
		t.Fatal(err)
	}
	if s.commit.repo != "" {
		if _, err := w.copy(s.commit.repo); err != nil {
			t.Fatal(err)
		}
	}
	r := &run{world: w, fleet: f, hub: f.watchHub(t), begin: time.Now()}
	cost := f.startCost(t)
	_, stop := f.startEngine(t, w.mirrors, logPath(t, s.name))
	defer stop()
	full := r.bringUp(t)
	good, excused := r.awaitStates(t, full)
	took := time.Since(r.begin)
	spent := cost.spent(t)
	r.checkSpecs(t, full)
	r.checkValues(t, full, excused)
	r.checkQuiet(t, excused)
	r.checkMetadata(t, full, excused)
	r.checkCommit(t, excused)
	r.remove(t)
	t.Logf("%s: %d applications: %d Synced and Healthy, %d listed with their reason, in %s; %s", s.name, len(full.apps), good, len(excused),
		took.Round(100*time.Millisecond), spent.per(len(full.apps)))
}

// bringUp does as the README says: first the hub alone, then the spokes, then every addon.
func (r *run) bringUp(t *testing.T) *closure {
	t.Helper()
	hubAlone := r.offline(t, r.given[:1], nil)
	r.putSecrets(t, r.given[:1])
	for _, m := range r.manifests {
		object := m.Object.DeepCopy()
		object.SetNamespace(control)
		if err := r.clients[0].Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	r.awaitNames(t, "the hub alone", hubAlone)
	given := r.offline(t, r.given, hubAlone.apps)
	r.putSecrets(t, r.given)
	r.awaitNames(t, "with spokes", given)
	full := r.offline(t, r.all, hubAlone.apps)
	r.putSecrets(t, r.all)
	r.awaitNames(t, "with all addons on", full)
	return full
}

func (r *run) offline(t *testing.T, secrets []*corev1.Secret, live map[string]*v1alpha1.Application) *closure {
	t.Helper()
	c, err := r.expand(t.Context(), secrets, live)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (r *run) putSecrets(t *testing.T, secrets []*corev1.Secret) {
	t.Helper()
	for _, s := range secrets {
		s = s.DeepCopy()
		err := r.clients[0].Create(t.Context(), s)
		if apierrors.IsAlreadyExists(err) {
			s.ResourceVersion = ""
			err = r.clients[0].Update(t.Context(), s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// look lists the Applications of the hub.
func (r *run) look(ctx context.Context) error {
	var list v1alpha1.ApplicationList
	if err := r.hub.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	r.live = map[string]*v1alpha1.Application{}
	for i := range list.Items {
		r.live[list.Items[i].Name] = &list.Items[i]
	}
	return nil
}

func (r *run) awaitNames(t *testing.T, what string, want *closure) {
	t.Helper()
	begin := time.Now()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := r.look(ctx); err != nil {
			return err
		}
		lacks, more := difference(want.apps, r.live), difference(r.live, want.apps)
		if len(lacks)+len(more) > 0 {
			return fmt.Errorf("%s: of %d applications %d are missing: %s; %d are not expected: %s", what, len(want.apps), len(lacks), few(lacks), len(more), few(more))
		}
		return nil
	})
	t.Logf("%s: %d applications made in %s", what, len(r.live), time.Since(begin).Round(10*time.Millisecond))
}

func difference[A, B any](a map[string]A, b map[string]B) []string {
	var out []string
	for _, name := range sorted(a) {
		if _, ok := b[name]; !ok {
			out = append(out, name)
		}
	}
	return out
}

func few(names []string) string {
	if len(names) > 5 {
		return strings.Join(names[:5], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// awaitStates waits until each Application is good, or shows the reason that the suite lists for it.
func (r *run) awaitStates(t *testing.T, want *closure) (good int, excused map[string]bool) {
	t.Helper()
	used := map[int]bool{}
	var bad []string
	newest, moved := "", time.Now()
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, await.Limit, true, func(ctx context.Context) (bool, error) {
		if err := r.look(ctx); err != nil {
			return false, err
		}
		good, excused, bad = r.states(used)
		if now := r.newest(); now != newest {
			newest, moved = now, time.Now()
		}
		return len(bad) == 0 || time.Since(moved) > stuckAfter, nil
	})
	if err != nil && !wait.Interrupted(err) {
		t.Fatal(err)
	}
	for _, b := range bad[:min(len(bad), 60)] {
		t.Errorf("not good: %s", b)
	}
	if len(bad) > 0 {
		t.Fatalf("%d of %d applications are neither good nor listed", len(bad), len(want.apps))
	}
	for i, e := range r.exceptions {
		if !used[i] {
			t.Errorf("the exception %q (%s) fits no application any more: delete it", e.pattern, e.reason)
		}
	}
	return good, excused
}

// newest changes whenever an Application does.
func (r *run) newest() string {
	newest := ""
	for _, app := range r.live {
		if v := app.ResourceVersion; len(v) > len(newest) || len(v) == len(newest) && v > newest {
			newest = v
		}
	}
	return newest
}

func (r *run) states(used map[int]bool) (good int, excused map[string]bool, bad []string) {
	excused = map[string]bool{}
	clear(used)
	for _, name := range sorted(r.live) {
		app := r.live[name]
		if isGood(app) {
			good++
			continue
		}
		i := slices.IndexFunc(r.exceptions, func(e exception) bool {
			ok, err := path.Match(e.pattern, name)
			return err == nil && ok && strings.Contains(told(app), e.says)
		})
		if i < 0 {
			bad = append(bad, fmt.Sprintf("%s: sync %q, health %q: %s", name, app.Status.Sync.Status, app.Status.Health.Status, told(app)))
			continue
		}
		used[i], excused[name] = true, true
	}
	return good, excused, bad
}

func isGood(app *v1alpha1.Application) bool {
	return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && app.Status.Health.Status == v1alpha1.HealthStatusHealthy &&
		(app.Status.OperationState == nil || app.Status.OperationState.Phase == v1alpha1.OperationSucceeded)
}

// told is all that an Application says about itself.
func told(app *v1alpha1.Application) string {
	var out []string
	for _, c := range app.Status.Conditions {
		out = append(out, c.Type+": "+c.Message)
	}
	for _, res := range app.Status.Resources {
		if h := res.Health; h != nil && h.Status != v1alpha1.HealthStatusHealthy {
			out = append(out, fmt.Sprintf("%s %s is %s: %s", res.Kind, res.Name, h.Status, h.Message))
		}
	}
	if op := app.Status.OperationState; op != nil {
		out = append(out, fmt.Sprintf("operation %s: %s", op.Phase, op.Message))
		if op.SyncResult != nil {
			for _, res := range op.SyncResult.Resources {
				if res.Status != v1alpha1.ResultCodeSynced {
					out = append(out, fmt.Sprintf("%s %s: %s", res.Kind, res.Name, res.Message))
				}
			}
		}
	}
	return strings.Join(out, "; ")
}

func logPath(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(t.ArtifactDir(), name+".log")
}
