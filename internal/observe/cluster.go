package observe

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// cluster assesses a Cluster that Git declares: it opens a wave's gate once
// the cluster of its newest spec answers.
func cluster(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	generation, _ := r.number("metadata", "generation")
	observed, known := r.number("status", "observedGeneration")
	phase, conditions := r.text("status", "phase"), r.conditions()
	ready, _ := find(conditions, "Ready")
	switch {
	case r.err != nil:
		return gitops.Health{Code: gitops.HealthUnknown}, r.err
	case !known || observed < generation:
		return progressing("Waiting for the engine to see the newest spec"), nil
	case phase == "Ready" && ready.status == "True":
		return healthy(r.text("status", "version")), nil
	case phase == "Failed":
		return degraded(ready.message), nil
	}
	return progressing("%s", orElse(ready.message, "Waiting for the cluster")), nil
}
