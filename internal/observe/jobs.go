package observe

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// job looks at the types of the conditions, not at their status: but for
// Suspended, the job controller never takes one back.
func job(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	conditions := r.conditions()
	if c, ok := find(conditions, "Failed"); ok {
		return degraded(c.message), r.err
	}
	stopped, wasStopped := find(conditions, "Suspended")
	if wasStopped && stopped.status == "True" {
		return suspended(stopped.message), r.err
	}
	if c, ok := find(conditions, "Complete"); ok {
		return healthy(c.message), r.err
	}
	if wasStopped {
		return healthy(stopped.message), r.err
	}
	return progressing(""), r.err
}

func cronJob(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	scheduled := r.text("status", "lastScheduleTime")
	succeeded := r.text("status", "lastSuccessfulTime")
	switch {
	case r.flag("spec", "suspend"):
		return healthy("CronJob is suspended"), r.err
	case scheduled == "":
		return progressing("Waiting for the first run"), r.err
	case len(r.items("status", "active")) > 0:
		return healthy("A run is active"), r.err
	case succeeded == "":
		return healthy("No run has succeeded yet"), r.err
	case before(succeeded, scheduled):
		return degraded("The last run did not succeed"), r.err
	}
	return healthy("The last run succeeded"), r.err
}

// before compares two RFC 3339 times; texts that are none are never before.
func before(a, b string) bool {
	ta, errA := time.Parse(time.RFC3339, a)
	tb, errB := time.Parse(time.RFC3339, b)
	return errA == nil && errB == nil && ta.Before(tb)
}
