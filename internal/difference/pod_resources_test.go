package difference

import "testing"

// TestDefaultsOfPodResources: what the API server lets a Pod as a whole request is no
// difference, and anything else is.
func TestDefaultsOfPodResources(t *testing.T) {
	pod := func(limits, containers string) string {
		return `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {resources: {limits: {` + limits + `}, %s}, ` + containers + `}}`
	}
	const (
		plain  = "containers: [{name: a}]"
		asking = "containers: [{name: a, resources: {requests: {cpu: 100m}}}, {name: b, resources: {requests: {cpu: 200m}}}]"
		lim    = "containers: [{name: a, resources: {limits: {cpu: 100m}}}]"
		before = "initContainers: [{name: i, resources: {requests: {cpu: 900m}}}], containers: [{name: a, resources: {requests: {cpu: 100m}}}]"
		beside = "initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 50m}}}, {name: i, resources: {requests: {cpu: 80m}}}], containers: [{name: a, resources: {requests: {cpu: 100m}}}]"
		after  = "initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 50m}}}, {name: i, resources: {requests: {cpu: 300m}}}], containers: [{name: a, resources: {requests: {cpu: 100m}}}]"
		pages  = "containers: [{name: a, resources: {limits: {hugepages-2Mi: 4Mi}}}, {name: b, resources: {limits: {hugepages-2Mi: 2Mi}}}]"
		others = "containers: [{name: a, resources: {requests: {ephemeral-storage: 1Gi}}}]"
	)
	tryAll(t, map[string]silence{
		"Limits":     {"what it is limited to, where its containers request nothing", pod("cpu: 1, memory: 1Gi", plain), "requests: {cpu: 1, memory: 1Gi}", "requests: {cpu: 500m, memory: 1Gi}"},
		"Containers": {"what they request together, where they do", pod("cpu: 1, memory: 1Gi", asking), "requests: {cpu: 300m, memory: 1Gi}", "requests: {cpu: 1, memory: 1Gi}"},
		"Limited":    {"a container that is limited requests that", pod("cpu: 1", lim), "requests: {cpu: 100m}", "requests: {cpu: 1}"},
		"Before":     {"one that runs before them may request more", pod("cpu: 1", before), "requests: {cpu: 900m}", "requests: {cpu: 100m}"},
		"Beside":     {"one that stays is counted with them", pod("cpu: 1", beside), "requests: {cpu: 150m}", "requests: {cpu: 100m}"},
		"After":      {"and with those that run after it", pod("cpu: 1", after), "requests: {cpu: 350m}", "requests: {cpu: 300m}"},
		"Pages":      {"huge pages are requested as they are limited", pod("cpu: 1, hugepages-2Mi: 8Mi", pages), "requests: {cpu: 1, hugepages-2Mi: 8Mi}", "requests: {cpu: 1, hugepages-2Mi: 6Mi}"},
		"Others":     {"a Pod as a whole requests nothing else", pod("cpu: 1", others), "requests: {cpu: 1}", "requests: {cpu: 1, ephemeral-storage: 1Gi}"},
	})
	tryAll(t, map[string]silence{
		"PageLimits": {
			"huge pages of its containers limit the Pod, too", `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {resources: {requests: {cpu: 1}, %s}, ` + pages + `}}`,
			"limits: {hugepages-2Mi: 6Mi}", "limits: {hugepages-2Mi: 4Mi}",
		},
		"Unlimited": {
			"one without limits has what it says", `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {resources: {requests: {memory: 1Gi%s}}, ` + asking + `}}`,
			"", ", cpu: 300m",
		},
		"Template": {
			"what is a template of Pods is left as it is", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {selector: {}, template: {spec: {resources: {limits: {cpu: 1}, %s}, ` + plain + `}}}}`,
			"", "requests: {cpu: 1}",
		},
	})
}
