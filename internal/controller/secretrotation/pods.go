package secretrotation

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// runsOlder reports whether a pod of a workload runs a container that started before a
// time. One that did not start yet, as it waits for the Secret, will see what is there.
func (r *Reconciler) runsOlder(ctx context.Context, w workload, than time.Time) (bool, error) {
	selector, err := metav1.LabelSelectorAsSelector(w.selector)
	if err != nil {
		return false, fmt.Errorf("cannot read the selector of %s %s: %w", w.kind, w.GetName(), err)
	}
	const page = 200
	var pods corev1.PodList
	options := &client.ListOptions{Namespace: w.GetNamespace(), LabelSelector: selector, Limit: page}
	for {
		if err := r.Live.List(ctx, &pods, options); err != nil {
			return false, fmt.Errorf("cannot list the pods of %s %s: %w", w.kind, w.GetName(), err)
		}
		for i := range pods.Items {
			if startedBy(&pods.Items[i], than) {
				return true, nil
			}
		}
		if options.Continue = pods.Continue; options.Continue == "" {
			return false, nil
		}
	}
}

// startedBy reports whether a pod that is not ending has a container, also one of
// those that came first, that started up to a time and was not started again since.
func startedBy(pod *corev1.Pod, than time.Time) bool {
	if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return false
	}
	for _, all := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, one := range all {
			var at metav1.Time
			switch {
			case one.State.Running != nil:
				at = one.State.Running.StartedAt
			case one.State.Terminated != nil:
				at = one.State.Terminated.StartedAt
			}
			if !at.IsZero() && !at.After(than) {
				return true
			}
		}
	}
	return false
}
