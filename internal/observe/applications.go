package observe

import (
	"fmt"
	"reflect"
	"slices"

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
	code := gitops.HealthCode(r.text("status", "health", "status"))
	if code == "" {
		return progressing("Waiting for health")
	}
	if !slices.Contains(codes, code) {
		return gitops.Health{Code: gitops.HealthUnknown, Message: fmt.Sprintf("Its status has the health %q, which there is not", code)}
	}
	return gitops.Health{Code: code, Message: r.text("status", "health", "message")}
}

func comparedToSpec(r *reader) bool {
	compared := r.fields("status", "sync", "comparedTo")
	spec := r.fields("spec")
	if sources := r.items("spec", "sources"); len(sources) > 0 {
		return alike(sources, compared["sources"]) && alike(spec["destination"], compared["destination"])
	}
	return alike(spec["source"], compared["source"]) && alike(spec["destination"], compared["destination"])
}

// syncIsDue reports whether an automated sync of the compared revision has
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
// same, as typed writers leave the latter out or put it in. Both are walked
// once, side by side: anybody who writes Applications chooses their shape.
func alike(a, b any) bool { return alikeWithin(a, b, maxDepth) }

// alikeWithin takes what is nested deeper than depth for different.
func alikeWithin(a, b any, depth int) bool {
	if a == nil || b == nil {
		return isZero(a, depth) && isZero(b, depth)
	}
	if depth == 0 {
		return false
	}
	switch a := a.(type) {
	case map[string]any:
		m, ok := b.(map[string]any)
		return ok && sameFields(a, m, depth-1)
	case []any:
		list, ok := b.([]any)
		return ok && sameItems(a, list, depth-1)
	}
	return reflect.DeepEqual(a, b) || gitops.IsScalar(b) && isZero(a, depth) && isZero(b, depth)
}

func sameFields(a, b map[string]any, depth int) bool {
	for k, v := range a {
		if !alikeWithin(v, b[k], depth) {
			return false
		}
	}
	for k, v := range b {
		if _, compared := a[k]; !compared && !isZero(v, depth) {
			return false
		}
	}
	return true
}

func sameItems(a, b []any, depth int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !alikeWithin(a[i], b[i], depth) {
			return false
		}
	}
	return true
}

// isZero takes what is nested deeper than depth for something.
func isZero(v any, depth int) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return depth > 0 && allZero(v, depth-1)
	case []any:
		return len(v) == 0
	}
	return reflect.ValueOf(v).IsZero()
}

func allZero(m map[string]any, depth int) bool {
	for _, v := range m {
		if !isZero(v, depth) {
			return false
		}
	}
	return true
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
