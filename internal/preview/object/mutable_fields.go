package object

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// mutable data may change: neither side said immutable before.
func mutable(before, _ map[string]any) bool { return before["immutable"] != true }

// growing storage is allowed, where the class can.
func growing(before, after map[string]any) bool {
	old, ok := amount(before)
	head, ok2 := amount(after)
	return ok && ok2 && head.Cmp(old) >= 0
}

func amount(claim map[string]any) (resource.Quantity, bool) {
	number, ok := quantity(at(claim, "spec", "resources", "requests", "storage"))
	if !ok {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(number)
	return q, err == nil
}

// elastic Jobs, with one completion a pod, may change both numbers together.
func elastic(before, after map[string]any) bool {
	indexed := at(before, "spec", "completionMode") == "Indexed" && at(after, "spec", "completionMode") == "Indexed"
	completions := at(after, "spec", "completions")
	return indexed && completions != nil && completions == at(after, "spec", "parallelism")
}

func wasEmpty(path ...string) func(before, after map[string]any) bool {
	return func(before, _ map[string]any) bool { return at(before, path...) == nil }
}

// notBoth allows what one side leaves to the API server.
func notBoth(path ...string) func(before, after map[string]any) bool {
	return func(before, after map[string]any) bool {
		return at(before, path...) == nil || at(after, path...) == nil
	}
}

// addressFree: a Service has no address of its own to keep when it is, or
// was, ExternalName; and one that is not written is kept by the API server.
func addressFree(before, after map[string]any) bool {
	old, head := at(before, "spec", "clusterIP"), at(after, "spec", "clusterIP")
	return old == nil || old == "" || head == nil || head == "" || external(before) || external(after)
}

func addressesFree(before, after map[string]any) bool {
	return notBoth("spec", "clusterIPs")(before, after) || external(before) || external(after)
}

func familiesFree(before, after map[string]any) bool {
	return notBoth("spec", "ipFamilies")(before, after) || external(before) || external(after)
}

func external(service map[string]any) bool { return at(service, "spec", "type") == "ExternalName" }

// balancerFree: the class is chosen when a Service becomes a LoadBalancer.
func balancerFree(before, after map[string]any) bool {
	return at(before, "spec", "type") != "LoadBalancer" || at(after, "spec", "type") != "LoadBalancer"
}

// first keeps the primary one of a Service's addresses or families.
func first(_ map[string]any, v any) any {
	if list, ok := v.([]any); ok && len(list) > 0 {
		return list[0]
	}
	return nil
}

// roleRef may leave out its API group, which has one possible value.
func roleRef(_ map[string]any, v any) any { return without(v, "apiGroup") }

// claimTemplates leaves out what the API server fills in.
func claimTemplates(_ map[string]any, v any) any {
	return each(v, func(template map[string]any) any {
		out := without(template, "apiVersion", "kind", "status")
		return with(out, "spec", func(spec any) any {
			if at(spec, "volumeMode") == "Filesystem" {
				return without(spec, "volumeMode")
			}
			return spec
		})
	})
}

// jobTemplate leaves out the scheduling directives and resources of a Job
// that is suspended: they may change until it starts.
func jobTemplate(job map[string]any, v any) any {
	if at(job, "spec", "suspend") != true {
		return v
	}
	out := with(v, "metadata", func(m any) any { return without(m, "labels", "annotations") })
	return with(out, "spec", func(spec any) any {
		spec = without(spec, "nodeSelector", "tolerations", "schedulingGates", "affinity")
		for _, list := range []string{"containers", "initContainers"} {
			spec = with(spec, list, func(v any) any {
				return each(v, func(c map[string]any) any { return without(c, "resources") })
			})
		}
		return spec
	})
}

// podSpec leaves out the few things that may change in a running Pod.
func podSpec(_ map[string]any, v any) any {
	out := without(v, "activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerations", "schedulingGates")
	for _, list := range []string{"containers", "initContainers"} {
		out = with(out, list, func(v any) any {
			return each(v, func(c map[string]any) any { return without(c, "image") })
		})
	}
	return out
}
