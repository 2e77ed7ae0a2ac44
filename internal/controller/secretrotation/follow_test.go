package secretrotation

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// at is a cluster at a time: its pods, and how often a workload was patched, which is its generation.
type at struct {
	client.Reader

	now     time.Time
	pods    []corev1.Pod
	patches int64
}

func (a *at) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if pods, ok := list.(*corev1.PodList); ok {
		pods.Items = a.pods
	}
	return nil
}

func (a *at) Patch(_ context.Context, object client.Object, _ client.Patch, _ ...client.PatchOption) error {
	a.patches++
	object.SetGeneration(a.patches)
	return nil
}

// runs has one pod run, since some seconds after the beginning.
func (a *at) runs(seconds int) {
	pod := corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: make([]corev1.ContainerStatus, 1)}}
	pod.Status.ContainerStatuses[0].State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.Time{Time: after(seconds)}}
	a.pods = []corev1.Pod{pod}
}

// round is one reconcile of a namespace that has these users at a time. It gives the pause that was asked for last.
func round(t *testing.T, r *Reconciler, a *at, seconds int, users ...*user) (pause time.Duration) {
	t.Helper()
	a.now = after(seconds)
	memos := r.remember("ns", users)
	for _, one := range users {
		if err := r.assess(t.Context(), one, memos[one.GetUID()]); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range inOrder(users) {
		pause = one.unsure
		if !one.needs {
			continue
		}
		var err error
		if pause, err = r.follow(t.Context(), one, users, memos[one.GetUID()]); err != nil {
			t.Fatal(err)
		}
	}
	return pause
}

func reconcilerAt(a *at) (*Reconciler, *bytes.Buffer) {
	log := &bytes.Buffer{}
	return New(Options{Live: a, Writer: a, Now: func() time.Time { return a.now }, Log: slog.New(slog.NewTextHandler(log, nil))}), log
}

func generation(n int64) func(*user) { return func(u *user) { u.SetGeneration(n) } }

// rolled has a Deployment's controller see all, and a number of one pods be updated.
func rolled(updated int32) func(*user) {
	return func(u *user) {
		if d, ok := u.Object.(*appsv1.Deployment); ok {
			d.Status = appsv1.DeploymentStatus{ObservedGeneration: 100, Replicas: 1, UpdatedReplicas: updated, AvailableReplicas: updated}
		}
	}
}

func uid(id types.UID) func(*user) { return func(u *user) { u.SetUID(id) } }

// TestMarksThatAreTakenAway: what writes the template of a workload anew has it restarted once for a change, and not without end.
func TestMarksThatAreTakenAway(t *testing.T) {
	a := &at{}
	a.runs(5)
	r, log := reconcilerAt(a)
	const told = "took the restart back"
	for _, step := range []struct {
		reason  string
		seconds int
		one     *user
		patches int64
		told    int
	}{
		{"it collects changes first", 11, made("a", 0, using("s", 10)), 0, 0},
		{"then it is restarted", 20, made("a", 0, using("s", 10)), 1, 0},
		{"the cache does not show that yet", 21, made("a", 0, using("s", 10)), 1, 0},
		{"now it does", 22, made("a", 0, using("s", 10), marked(10), generation(1)), 1, 0},
		{"somebody took the mark away", 23, made("a", 0, using("s", 10), generation(2)), 1, 1},
		{"that is said once", 99, made("a", 0, using("s", 10), generation(2)), 1, 1},
		{"the next change comes sooner than a minute after the restart", 75, made("a", 0, using("s", 60), generation(2)), 1, 1},
		{"and is followed", 81, made("a", 0, using("s", 60), generation(2)), 2, 1},
		{"that ends in the same way, before the cache showed the mark", 200, made("a", 0, using("s", 60), generation(3)), 2, 2},
		{"where a webhook takes it away, the generation does not grow", 201, made("a", 0, using("s", 60), generation(2)), 2, 2},
	} {
		rolled(1)(step.one)
		round(t, r, a, step.seconds, step.one)
		if got := strings.Count(log.String(), told); got != step.told || a.patches != step.patches {
			t.Errorf("%s: %d patches, want %d; said %d times, want %d", step.reason, a.patches, step.patches, got, step.told)
		}
	}
	if round(t, r, a, 202); len(r.known) > 0 {
		t.Error("a workload that uses no Secret any more is remembered")
	}
}

// TestStatusThatIsLate: a container that started before a change may show in the status of its pod after it.
func TestStatusThatIsLate(t *testing.T) {
	a := &at{}
	r, _ := reconcilerAt(a)
	if pause := round(t, r, a, 102, made("a", 0, using("s", 100))); pause != 8*time.Second {
		t.Errorf("it is looked at again after %s", pause)
	}
	a.runs(99)
	round(t, r, a, 110, made("a", 0, using("s", 100)))
	if a.patches != 1 {
		t.Errorf("%d patches: an old value is kept", a.patches)
	}
	a.runs(201)
	if pause := round(t, r, a, 210, made("a", 0, using("s", 200))); pause > 0 {
		t.Errorf("it is looked at again after %s", pause)
	}
	if m := r.known["ns"][""]; m == nil || !m.spared.Equal(after(200)) {
		t.Errorf("what is newer than a change is asked for again: %+v", m)
	}
}

// TestChangesWithoutEnd: a rollout is not interrupted by the next restart, and who waits for it has a turn.
func TestChangesWithoutEnd(t *testing.T) {
	a := &at{}
	a.runs(0)
	r, _ := reconcilerAt(a)
	pair := func(seconds int, first ...func(*user)) []*user {
		first = append([]func(*user){of("shop"), using("s", seconds-1), uid("1")}, first...)
		return []*user{made("first", 0, first...), made("second", 0, of("shop"), waved("1"), using("s", seconds-1), uid("2"), rolled(1))}
	}
	for _, step := range []struct {
		reason  string
		seconds int
		first   []func(*user)
		patches int64
	}{
		{"they wait for further changes", 10, []func(*user){rolled(1)}, 0},
		{"but not for ever", 130, []func(*user){rolled(1)}, 1},
		{"a rollout is left to itself", 400, []func(*user){generation(1), marked(129), rolled(0)}, 1},
		{"the first wave goes on when it is rolled out", 500, []func(*user){generation(1), marked(129), rolled(1)}, 1},
		{"after two minutes, as always", 560, []func(*user){generation(1), marked(129), rolled(1)}, 2},
		{"the second wave waited long, and the first one rolls out", 730, []func(*user){generation(2), marked(559), rolled(0)}, 2},
		{"it has its turn, before the first is restarted again", 740, []func(*user){generation(2), marked(559), rolled(1)}, 3},
	} {
		round(t, r, a, step.seconds, pair(step.seconds, step.first...)...)
		if a.patches != step.patches {
			t.Fatalf("%s: %d patches, want %d", step.reason, a.patches, step.patches)
		}
	}
}

// TestRolls: a rollout that was not begun here is not waited for, and none for longer than waves are.
func TestRolls(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		one    *user
		m      memo
		want   time.Time
	}{
		"users":    {"somebody else's", made("a", 0, health(gitops.Progressing)), memo{}, time.Time{}},
		"here":     {"one that was begun here", made("a", 0, health(gitops.Progressing), marked(10)), memo{restarted: after(20)}, after(620)},
		"before":   {"one by an engine that has ended", made("a", 0, health(gitops.Progressing), marked(10)), memo{}, after(610)},
		"healthy":  {"one that is over", made("a", 0, marked(10)), memo{restarted: after(20)}, time.Time{}},
		"degraded": {"one that failed: the change may be what mends it", made("a", 0, health(gitops.Degraded), marked(10)), memo{restarted: after(20)}, time.Time{}},
	} {
		if got := tc.one.rolls(tc.m); !got.Equal(tc.want) {
			t.Errorf("%s: %s: until %s", name, tc.reason, got)
		}
	}
}
