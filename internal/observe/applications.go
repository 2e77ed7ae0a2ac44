package observe

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// application makes a child application count in its parent. It is stricter
// than a look at status.health: a status that speaks of an older spec, or
// that a started or due sync is about to change, must not open a wave's gate.
func application(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	h := childHealth(r)
	return h, r.err
}

func childHealth(r *reader) gitops.Health {
	if r.text("status", "sync", "status") == "" {
		return progressing("Waiting for the first comparison")
	}
	if phase := r.text("status", "operationState", "phase"); phase == "Running" || phase == "Terminating" {
		return progressing("%s", orElse(r.text("status", "operationState", "message"), "A sync is running"))
	}
	if r.fields("operation") != nil {
		return progressing("A sync was asked for")
	}
	if !comparedToSpec(r) {
		return progressing("Waiting for a comparison with the newest spec")
	}
	if syncIsDue(r) {
		return progressing("Waiting for an automated sync")
	}
	code := r.text("status", "health", "status")
	if code == "" {
		return progressing("Waiting for health")
	}
	return gitops.Health{Code: gitops.HealthCode(code), Message: r.text("status", "health", "message")}
}

func comparedToSpec(r *reader) bool {
	compared := r.fields("status", "sync", "comparedTo")
	spec := r.fields("spec")
	if sources := r.items("spec", "sources"); len(sources) > 0 {
		return alike(sources, compared["sources"]) && alike(spec["destination"], compared["destination"])
	}
	return alike(spec["source"], compared["source"]) && alike(spec["destination"], compared["destination"])
}

// syncIsDue tells whether an automated sync of the compared revision has
// still to end. A revision that was tried once is not tried again.
func syncIsDue(r *reader) bool {
	automated := r.fields("spec", "syncPolicy", "automated")
	if automated == nil || automated["enabled"] == false || r.text("status", "sync", "status") != string(gitops.OutOfSync) {
		return false
	}
	if r.text("status", "operationState", "finishedAt") == "" {
		return true
	}
	result := r.fields("status", "operationState", "syncResult")
	if result == nil {
		return false
	}
	return !alike(r.at("status", "sync", "revision"), result["revision"]) ||
		!alike(r.at("status", "sync", "revisions"), result["revisions"])
}

// alike compares two decoded values; an absent field and a zero one are the
// same, as typed writers leave the latter out or put it in.
func alike(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		m, ok := b.(map[string]any)
		if !ok && b != nil {
			return false
		}
		return within(a, m) && within(m, a)
	case []any:
		list, ok := b.([]any)
		if !ok && b != nil || len(a) != len(list) {
			return false
		}
		for i := range a {
			if !alike(a[i], list[i]) {
				return false
			}
		}
		return true
	case nil:
		return isZero(b)
	}
	return reflect.DeepEqual(a, b) || isZero(a) && isZero(b)
}

func within(a, b map[string]any) bool {
	for k, v := range a {
		if !alike(v, b[k]) {
			return false
		}
	}
	return true
}

func isZero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return within(v, nil)
	case []any:
		return len(v) == 0
	}
	return reflect.ValueOf(v).IsZero()
}

func applicationSet(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	conditions := r.conditions()
	if c, ok := find(conditions, "ErrorOccurred"); ok && c.status == "True" {
		return degraded(c.message), r.err
	}
	current, known := find(conditions, "ResourcesUpToDate")
	if known && current.status == "False" {
		return degraded(current.message), r.err
	}
	if c, ok := find(conditions, "RolloutProgressing"); ok && c.status == "True" {
		return progressing("%s", c.message), r.err
	}
	if known && current.status == "True" {
		return healthy(current.message), r.err
	}
	return progressing("Waiting for its applications to be generated"), r.err
}

func orElse(text, fallback string) string {
	if text != "" {
		return text
	}
	return fallback
}
