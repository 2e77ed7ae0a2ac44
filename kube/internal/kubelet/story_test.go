package kubelet

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var noon = time.Date(2001, 1, 2, 12, 0, 0, 0, time.UTC)

func at(seconds int) metav1.Time {
	return metav1.NewTime(noon.Add(time.Duration(seconds) * time.Second))
}

func podWith(status corev1.ContainerStatus, message string) *corev1.Pod {
	status.Name, status.Image = "main", "app:1"
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{status}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.ContainersReady, Message: message, LastTransitionTime: at(5)}}
	return pod
}

func runs() corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at(0)}}
}

func crashed() corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: 1, Reason: "Error", StartedAt: at(0), FinishedAt: at(3),
	}}
}

func TestTell(t *testing.T) {
	backOff := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	pull := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}}
	tests := map[string]struct {
		reason    string
		status    corev1.ContainerStatus
		message   string
		container string
		previous  bool
		last      string // line
		over      bool
		err       string
	}{
		"Ready":      {reason: "the end of a start", status: corev1.ContainerStatus{State: runs(), Ready: true}, last: "ready"},
		"NotReady":   {reason: "why it is not", status: corev1.ContainerStatus{State: runs()}, message: "asked for", last: "not ready: asked for"},
		"Silent":     {reason: "nothing is known but the start", status: corev1.ContainerStatus{State: runs()}, last: "started"},
		"Ended":      {reason: "no more will come", status: corev1.ContainerStatus{State: crashed()}, last: "exited with code 1 (Error)", over: true},
		"BackOff":    {reason: "the last run tells why", status: corev1.ContainerStatus{State: backOff, LastTerminationState: crashed()}, last: "exited with code 1 (Error)"},
		"Previous":   {reason: "the run before", status: corev1.ContainerStatus{State: runs(), LastTerminationState: crashed()}, previous: true, last: "exited with code 1 (Error)", over: true},
		"NoPrevious": {reason: "it never crashed", status: corev1.ContainerStatus{State: runs()}, previous: true, err: `previous terminated container "main" in pod "web" not found`},
		"Waiting":    {reason: "the kubelet's reason", status: corev1.ContainerStatus{State: pull}, err: "waiting to start: ErrImagePull"},
		"NoStatus":   {reason: "the pod is new", container: "other", err: `container "other" in pod "web" is waiting to start`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.container == "" {
				tc.container = "main"
			}
			got, err := tell(podWith(tc.status, tc.message), tc.container, tc.previous)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: got %v, want %q in it", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if last := got.lines[len(got.lines)-1].text; last != tc.last || got.over != tc.over {
				t.Errorf("%s: got %q at the end (over: %t), want %q", tc.reason, last, got.over, tc.last)
			}
			if image := got.lines[1].text; image != "image: app:1" {
				t.Errorf("the image is told as %q", image)
			}
		})
	}
}

func TestFresh(t *testing.T) {
	log := func(texts ...string) []line {
		var lines []line
		for i, text := range texts {
			lines = append(lines, line{at(i).Time, text})
		}
		return lines
	}
	tests := map[string]struct {
		reason     string
		known, now []line
		want       []line
	}{
		"Same":    {reason: "nothing new", known: log("a"), now: log("a")},
		"More":    {reason: "what was added", known: log("a"), now: log("a", "b"), want: log("a", "b")[1:]},
		"Instead": {reason: "a container that ended is not ready any more", known: log("a", "b"), now: log("a", "c"), want: log("a", "c")[1:]},
		"Less":    {reason: "what was said stays said", known: log("a", "b"), now: log("a")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, fresh(tc.known, tc.now), cmp.AllowUnexported(line{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
