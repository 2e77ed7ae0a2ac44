package observe

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// deadlineReason is what the deployment controller writes when a rollout
// took longer than progressDeadlineSeconds; its status is not looked at.
const deadlineReason = "ProgressDeadlineExceeded"

func deployment(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	h := rollout(r, o.GetName())
	return h, r.err
}

func rollout(r *reader, name string) gitops.Health {
	want, stated := r.number("spec", "replicas")
	all, updated := r.count("status", "replicas"), r.count("status", "updatedReplicas")
	available := r.count("status", "availableReplicas")
	if r.flag("spec", "paused") {
		return suspended("Deployment is paused")
	}
	if !observed(r) {
		return progressing("Waiting for the new spec to be observed")
	}
	if c, ok := find(r.conditions(), "Progressing"); ok && c.reason == deadlineReason {
		return degraded(fmt.Sprintf("Deployment %q exceeded its progress deadline", name))
	}
	if stated && updated < want {
		return progressing("%d of %d replicas are updated", updated, want)
	}
	if all > updated {
		return replacing(all-updated, r.count("status", "unavailableReplicas"))
	}
	if available < updated {
		return progressing("%d of %d updated replicas are available", available, updated)
	}
	return healthy("")
}

// replacing tells of old replicas that stay until new ones are available, and how many pods are not.
func replacing(old, unavailable int64) gitops.Health {
	if unavailable == 0 {
		return progressing("old replicas that are left: %d", old)
	}
	return progressing("old replicas that are left: %d; pods that are not available yet: %d", old, unavailable)
}

// observed reports whether the kind's controller has seen the newest spec.
func observed(r *reader) bool {
	return r.count("status", "observedGeneration") >= r.count("metadata", "generation")
}

func statefulSet(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	h := orderedRollout(r)
	return h, r.err
}

func orderedRollout(r *reader) gitops.Health {
	if r.count("status", "observedGeneration") == 0 || !observed(r) {
		return progressing("Waiting for the new spec to be observed")
	}
	want, stated := r.number("spec", "replicas")
	ready, updated := r.count("status", "readyReplicas"), r.count("status", "updatedReplicas")
	if stated && ready < want {
		return progressing("%d of %d pods are ready", ready, want)
	}
	switch r.text("spec", "updateStrategy", "type") {
	case "OnDelete":
		return healthy(fmt.Sprintf("%d pods are ready", ready))
	case "RollingUpdate":
		if r.fields("spec", "updateStrategy", "rollingUpdate") != nil {
			return partitioned(r, updated, want, stated)
		}
	}
	if r.text("status", "updateRevision") != r.text("status", "currentRevision") {
		return progressing("%d of %d pods are updated", updated, want)
	}
	return healthy("")
}

// partitioned looks at the pods above the partition only: the others keep
// the old revision on purpose, so that revisions are not compared.
func partitioned(r *reader, updated, want int64, stated bool) gitops.Health {
	partition, split := r.number("spec", "updateStrategy", "rollingUpdate", "partition")
	if stated && split && updated < want-partition {
		return progressing("%d of %d pods above the partition are updated", updated, want-partition)
	}
	return healthy("")
}

func daemonSet(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	want, updated := r.count("status", "desiredNumberScheduled"), r.count("status", "updatedNumberScheduled")
	available := r.count("status", "numberAvailable")
	onDelete := r.text("spec", "updateStrategy", "type") == "OnDelete"
	switch {
	case !observed(r):
		return progressing("Waiting for the new spec to be observed"), r.err
	case onDelete:
		return healthy(fmt.Sprintf("%d of %d pods are updated", updated, want)), r.err
	case updated < want:
		return progressing("%d of %d pods are updated", updated, want), r.err
	case available < want:
		return progressing("%d of %d pods are available", available, want), r.err
	}
	return healthy(""), r.err
}

func replicaSet(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	want, stated := r.number("spec", "replicas")
	available := r.count("status", "availableReplicas")
	if !observed(r) {
		return progressing("Waiting for the new spec to be observed"), r.err
	}
	if c, ok := find(r.conditions(), "ReplicaFailure"); ok && c.status == "True" {
		return degraded(c.message), r.err
	}
	if stated && available < want {
		return progressing("%d of %d replicas are available", available, want), r.err
	}
	return healthy(""), r.err
}
