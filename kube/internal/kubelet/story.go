package kubelet

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// line is one of a log.
type line struct {
	at   time.Time
	text string
}

// story is what one run of a container has to say so far.
type story struct {
	lines []line
	over  bool // no more lines will come
}

// tell makes up the log of a container from what the pod's status says about it. The text of the errors is that of a
// real kubelet, which people and tools know.
func tell(pod *corev1.Pod, container string, previous bool) (story, error) {
	status, found := statusOf(pod, container)
	last := status.LastTerminationState.Terminated
	switch {
	case previous && last == nil:
		return story{}, fmt.Errorf("previous terminated container %q in pod %q not found", container, pod.Name)
	case previous:
		return story{lines: ended(status.Image, last), over: true}, nil
	case status.State.Terminated != nil:
		return story{lines: ended(status.Image, status.State.Terminated), over: true}, nil
	case status.State.Running != nil:
		return story{lines: running(pod, status)}, nil
	case last != nil: // between two crashes: the last run's
		return story{lines: ended(status.Image, last)}, nil
	case found && status.State.Waiting != nil:
		return story{}, waiting(pod, container, status.State.Waiting.Reason)
	default:
		return story{}, waiting(pod, container, "ContainerCreating")
	}
}

func waiting(pod *corev1.Pod, container, reason string) error {
	return fmt.Errorf("container %q in pod %q is waiting to start: %s", container, pod.Name, reason)
}

func statusOf(pod *corev1.Pod, container string) (corev1.ContainerStatus, bool) {
	all := slices.Concat(pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses, pod.Status.EphemeralContainerStatuses)
	i := slices.IndexFunc(all, func(s corev1.ContainerStatus) bool { return s.Name == container })
	if i < 0 {
		return corev1.ContainerStatus{}, false
	}
	return all[i], true
}

func started(image string, at time.Time) []line {
	return []line{
		{at, "simulated by causeway-kube: no process runs, and the image was not pulled"},
		{at, "image: " + image},
		{at, "started"},
	}
}

func ended(image string, state *corev1.ContainerStateTerminated) []line {
	text := fmt.Sprintf("exited with code %d (%s)", state.ExitCode, state.Reason)
	return append(started(image, state.StartedAt.Time), line{state.FinishedAt.Time, text})
}

func running(pod *corev1.Pod, status corev1.ContainerStatus) []line {
	lines := started(status.Image, status.State.Running.StartedAt.Time)
	for _, condition := range pod.Status.Conditions {
		switch {
		case condition.Type != corev1.ContainersReady:
		case status.Ready:
			lines = append(lines, line{condition.LastTransitionTime.Time, "ready"})
		case condition.Message != "":
			lines = append(lines, line{condition.LastTransitionTime.Time, "not ready: " + condition.Message})
		}
	}
	return lines
}
