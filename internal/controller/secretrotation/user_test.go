package secretrotation

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

var midnight = time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)

// after is a time of a test, in seconds from its beginning.
func after(seconds int) time.Time { return midnight.Add(time.Duration(seconds) * time.Second) }

// made is a healthy Deployment that was created after some seconds.
func made(name string, seconds int, more ...func(*user)) *user {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, CreationTimestamp: metav1.Time{Time: after(seconds)}, Annotations: map[string]string{}, Labels: map[string]string{}}}
	d.Spec.Template.Annotations = map[string]string{}
	one := &user{workload: workloadOf(d), changes: map[string]time.Time{}, health: gitops.Health{Code: gitops.Healthy}}
	for _, change := range more {
		change(one)
	}
	return one
}

func marked(seconds int) func(*user) {
	return func(u *user) {
		u.template.Annotations[annotationMark] = after(seconds).Format(time.RFC3339)
		u.mark = u.marked(after(1000))
	}
}

func using(secret string, seconds int) func(*user) {
	return func(u *user) { u.changes[secret] = after(seconds) }
}

func waved(wave string) func(*user) {
	return func(u *user) { u.GetAnnotations()[gitops.AnnotationWave] = wave }
}

func of(app string) func(*user) { return func(u *user) { u.GetLabels()[gitops.LabelInstance] = app } }

func health(code gitops.HealthCode) func(*user) { return func(u *user) { u.health.Code = code } }

func needs(u *user) { u.needs = true }

func waited(seconds int) func(*user) { return func(u *user) { u.waited = after(seconds) } }

func TestBehind(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		one    *user
		want   bool
	}{
		"older":       {"what was there before the change", made("a", 0, using("s", 9)), true},
		"younger":     {"what came after it", made("a", 10, using("s", 9)), false},
		"same second": {"what came with it may have come before", made("a", 9, using("s", 9)), true},
		"restarted":   {"what was restarted for it", made("a", 0, marked(9), using("s", 9)), false},
		"again":       {"a later change", made("a", 0, marked(9), using("s", 10)), true},
		"ahead":       {"a mark of a clock that is a little ahead", made("a", 0, marked(1060), using("s", 10)), false},
		"far ahead":   {"a mark that nobody can have written here", made("a", 0, marked(1061), using("s", 10)), true},
		"two":         {"the newest of two counts", made("a", 0, marked(9), using("s", 10), using("t", 5)), true},
		"none":        {"what uses nothing that changed", made("a", 0), false},
	} {
		if got := tc.one.behind(tc.one.newest()); got != tc.want {
			t.Errorf("%s: %s: %t", name, tc.reason, got)
		}
	}
}

func TestBlocker(t *testing.T) {
	second := func(more ...func(*user)) *user {
		return made("second", 0, append([]func(*user){waved("1"), of("shop"), using("s", 9), needs}, more...)...)
	}
	first := func(more ...func(*user)) *user {
		return made("first", 0, append([]func(*user){of("shop"), using("s", 9)}, more...)...)
	}
	for name, tc := range map[string]struct {
		reason     string
		one, other *user
		want       bool
	}{
		"needs":       {"an earlier wave that was not restarted yet", second(), first(needs), true},
		"progressing": {"one that is being restarted", second(), first(marked(9), health(gitops.Progressing)), true},
		"degraded":    {"one that did not get well", second(), first(marked(9), health(gitops.Degraded)), true},
		"unknown":     {"one of which that is not known", second(), first(marked(9), health("")), true},
		"healthy":     {"one that came through", second(), first(marked(9)), false},
		"same wave":   {"one of the same wave", second(), first(needs, waved("1")), false},
		"later":       {"one of a later wave", second(), first(needs, waved("2")), false},
		"no number":   {"a wave that is no number is 0", second(), first(needs, waved("x")), true},
		"negative":    {"waves may be negative", made("second", 0, of("shop"), using("s", 9), needs), first(needs, waved("-1")), true},
		"other app":   {"another application", second(), made("first", 0, of("blog"), using("s", 9), needs), false},
		"other":       {"one that uses another Secret", second(), made("first", 0, of("shop"), using("t", 9), needs), false},
		"past":        {"one that is not well, by a Secret that was followed", second(marked(9), using("t", 10)), first(marked(9), health(gitops.Degraded)), false},
		"endless":     {"one that always needs another restart, and came through one while this one waited long", second(waited(5)), first(marked(8), needs), false},
		"not since":   {"not if that was before", second(waited(8)), first(marked(8), needs), true},
		"still rolls": {"nor while it rolls out", second(waited(5)), first(marked(8), needs, health(gitops.Progressing)), true},
		"paused":      {"one that is paused", second(), first(needs, func(u *user) { u.paused = true }), false},
	} {
		if got := tc.one.blocker([]*user{tc.one, tc.other}); (got == tc.other) != tc.want {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}

// TestApps: marks of Applications count before labels, and only those that are the object's own.
func TestApps(t *testing.T) {
	for id, want := range map[string]string{"": "label", "shop:apps/Deployment:ns/a": "shop", "shop:apps/Deployment:ns/b": "label", "nonsense": "label"} {
		one := made("a", 0, of("label"))
		one.GetAnnotations()[gitops.AnnotationTracking] = id
		if got := one.app(); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

func TestOrder(t *testing.T) {
	var got []string
	for _, one := range inOrder([]*user{made("c", 0), made("a", 0, waved("1")), made("b", 0), made("d", 0, waved("-5"))}) {
		got = append(got, one.GetName())
	}
	if diff := cmp.Diff([]string{"d", "b", "c", "a"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPace: many changes are one restart, and changes without end are followed all the same.
func TestPace(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		one    *user
		m      memo
		want   int
	}{
		"one":       {"a while after the change", made("a", 0, using("s", 100)), memo{first: after(101)}, 110},
		"two":       {"after the last one", made("a", 0, using("s", 100), using("t", 105)), memo{first: after(101)}, 115},
		"endless":   {"but not for ever", made("a", 0, using("s", 300)), memo{first: after(101)}, 221},
		"restarted": {"once a minute at most", made("a", 0, marked(90), using("s", 100)), memo{first: after(101)}, 150},
		"lost":      {"also where its mark was taken away", made("a", 0, using("s", 100)), memo{first: after(101), restarted: after(95)}, 155},
		"late":      {"from when it was restarted, and not from the change", made("a", 0, marked(60), using("s", 100)), memo{first: after(101), restarted: after(80)}, 140},
		"rolls":     {"and not while it rolls out", made("a", 0, marked(60), using("s", 100), health(gitops.Progressing)), memo{first: after(101), restarted: after(80)}, 680},
	} {
		if got := defaultPace.at(tc.one, tc.m); !got.Equal(after(tc.want)) {
			t.Errorf("%s: %s: after %s, want %d seconds", name, tc.reason, got.Sub(midnight), tc.want)
		}
	}
}

func TestPolicy(t *testing.T) {
	object := func(text string) client.Object {
		one := &esv1.ExternalSecret{}
		if text != "" {
			one.Annotations = map[string]string{esv1.AnnotationRestart: text}
		}
		return one
	}
	for name, tc := range map[string]struct {
		reason       string
		itself, made string
		byStores     bool
		want         bool
	}{
		"nothing":  {"nobody says anything", "", "", false, false},
		"itself":   {"the workload's own word", "true", "false", false, true},
		"not":      {"also where it is no", "false", "true", true, false},
		"secret":   {"else the ExternalSecret's", "", "true", false, true},
		"no":       {"before the store's", "", "false", true, false},
		"store":    {"else the store's", "", "", true, true},
		"anything": {"what is not true is no", "yes", "true", true, false},
	} {
		one, _ := object(tc.made).(*esv1.ExternalSecret)
		if got := restarts(object(tc.itself), one, tc.byStores); got != tc.want {
			t.Errorf("%s: %s: %t", name, tc.reason, got)
		}
	}
}

// TestStartedBy: only what runs and began before may have an old value.
func TestStartedBy(t *testing.T) {
	running := func(seconds int) corev1.ContainerStatus {
		return corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Time{Time: after(seconds)}}}}
	}
	ended := func(seconds int) corev1.ContainerStatus {
		return corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{StartedAt: metav1.Time{Time: after(seconds)}}}}
	}
	waiting := corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError"}}}
	pod := func(phase corev1.PodPhase, statuses ...corev1.ContainerStatus) *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{Phase: phase, ContainerStatuses: statuses}}
	}
	going := pod(corev1.PodRunning, running(5))
	going.DeletionTimestamp = &metav1.Time{Time: after(11)}
	first := pod(corev1.PodRunning, running(12))
	first.Status.InitContainerStatuses = []corev1.ContainerStatus{ended(5)}
	for name, tc := range map[string]struct {
		reason string
		pod    *corev1.Pod
		want   bool
	}{
		"older":       {"a container that ran before", pod(corev1.PodRunning, running(12), running(5)), true},
		"same second": {"one that came with the change may have come before", pod(corev1.PodRunning, running(10)), true},
		"younger":     {"one that came after", pod(corev1.PodRunning, running(11)), false},
		"waiting":     {"one that waits for the Secret", pod(corev1.PodPending, waiting), false},
		"nothing":     {"a pod that was not started", pod(corev1.PodPending), false},
		"first":       {"a container that ran first may have handed on what it saw", first, true},
		"ended":       {"a container that ended in a pod that goes on", pod(corev1.PodRunning, ended(5)), true},
		"going":       {"a pod that goes anyway", going, false},
		"failed":      {"a pod that is over", pod(corev1.PodFailed, ended(5)), false},
		"succeeded":   {"also well", pod(corev1.PodSucceeded, ended(5)), false},
	} {
		if got := startedBy(tc.pod, after(10)); got != tc.want {
			t.Errorf("%s: %s: %t", name, tc.reason, got)
		}
	}
}
