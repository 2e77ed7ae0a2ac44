package observe

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// byConditions reads the conditions that most controllers set, as kstatus
// (sigs.k8s.io/cli-utils) does: Reconciling and Stalled tell what is wrong,
// Ready or Available that nothing is. An object with none of them has no health.
func byConditions(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	// What is no condition at all is no mistake: custom kinds may use the
	// name for something else.
	conditions := r.conditions()
	generation, _ := r.number("metadata", "generation")
	observed, known := r.number("status", "observedGeneration")
	if r.err != nil || len(conditions) == 0 {
		return gitops.Health{}, nil //nolint:nilerr // as above
	}
	if known && observed < generation {
		return progressing("Waiting for its controller to see the newest spec"), nil
	}
	if c, ok := find(conditions, "Stalled"); ok && c.status == "True" {
		return degraded(orElse(c.message, c.reason)), nil
	}
	if c, ok := find(conditions, "Reconciling"); ok && c.status == "True" {
		return progressing("%s", orElse(c.message, c.reason)), nil
	}
	for _, kind := range []string{"Ready", "Available"} {
		c, ok := find(conditions, kind)
		switch {
		case ok && c.status == "True":
			return healthy(c.message), nil
		case ok:
			return progressing("%s", orElse(c.message, c.reason)), nil
		}
	}
	return gitops.Health{}, nil
}
