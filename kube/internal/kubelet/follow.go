package kubelet

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	client "k8s.io/client-go/kubernetes/typed/core/v1"
)

// follow prints what is new about a container until it ends, its pod is gone, or the reader has enough.
func follow(ctx context.Context, pods client.PodInterface, pod *corev1.Pod, container string, out *printer) {
	known, err := tell(pod, container, false)
	if err != nil {
		return
	}
	changes, err := pods.Watch(ctx, metav1.ListOptions{
		FieldSelector:   fields.OneTermEqualSelector(metav1.ObjectNameField, pod.Name).String(),
		ResourceVersion: pod.ResourceVersion,
	})
	if err != nil {
		return // as when the connection to a node breaks: the log ends, and can be asked for again
	}
	defer changes.Stop()
	for event := range changes.ResultChan() {
		changed, isPod := event.Object.(*corev1.Pod)
		if !isPod || event.Type == watch.Deleted {
			return
		}
		now, err := tell(changed, container, false)
		if err != nil {
			continue
		}
		out.print(fresh(known.lines, now.lines))
		if known = now; known.over || out.full() {
			return
		}
	}
}

// fresh is what now says beyond what both have in common. Times are not compared: those of a container that has ended
// are not always those it ran with.
func fresh(known, now []line) []line {
	for i := range now {
		if i == len(known) || now[i].text != known[i].text {
			return now[i:]
		}
	}
	return nil
}
