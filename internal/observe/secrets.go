package observe

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// pushSecret is healthy when what its newest spec names was pushed: the version that was
// synced last begins with a generation.
func pushSecret(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	ready, _ := find(r.conditions(), "Ready")
	switch ready.status {
	case "False":
		return degraded(ready.message), r.err
	case "True":
		synced, _, known := strings.Cut(r.text("status", "syncedResourceVersion"), "-")
		generation, err := strconv.ParseInt(synced, 10, 64)
		if known && err == nil && generation < r.count("metadata", "generation") {
			return progressing("Waiting for the new spec to be pushed"), r.err
		}
		return healthy(ready.message), r.err
	}
	return progressing("Waiting for PushSecret"), r.err
}
