package observe

import "k8s.io/apimachinery/pkg/runtime/schema"

// Described are kinds with one check of the engine's own, and when an object of
// them is healthy. Reference pages are made of it; a test holds it to the checks.
type Described struct {
	Kinds   []schema.GroupKind
	Healthy string
}

// Describe tells of all checks of the engine's own, but for those that go by
// the end of a group.
func Describe() []Described {
	apps := func(kinds ...string) (out []schema.GroupKind) {
		for _, kind := range kinds {
			out = append(out, schema.GroupKind{Group: "apps", Kind: kind})
		}
		return out
	}
	external := func(kinds ...string) (out []schema.GroupKind) {
		for _, kind := range kinds {
			out = append(out, schema.GroupKind{Group: externalSecretKind.Group, Kind: kind})
		}
		return out
	}
	one := func(group, kind string) []schema.GroupKind { return []schema.GroupKind{{Group: group, Kind: kind}} }
	return []Described{
		{apps("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"), "rolled out: all replicas are updated and available"},
		{one("", "Pod"), "running and ready; one that is to end: succeeded"},
		{one("batch", "Job"), "complete"},
		{one("batch", "CronJob"), "it ran, and the last run did not fail, or it is suspended; until the first run it is Progressing"},
		{one("", "Service"), "of type LoadBalancer: it has an address; others: always"},
		{append(one("networking.k8s.io", "Ingress"), one("extensions", "Ingress")...), "it has an address"},
		{one("", "PersistentVolumeClaim"), "bound"},
		{one("autoscaling", "HorizontalPodAutoscaler"), "it is able to scale"},
		{one("policy", "PodDisruptionBudget"), "it allows disruptions, or has too few pods to allow one"},
		{one("apiregistration.k8s.io", "APIService"), "available"},
		{one("apiextensions.k8s.io", "CustomResourceDefinition"), "established"},
		{one("argoproj.io", "Application"), "its status says so, of its newest spec, and no sync of it runs or is due"},
		{one("argoproj.io", "ApplicationSet"), "its Applications are up to date, and no roll-out goes on"},
		{one("argoproj.io", "Workflow"), "succeeded"},
		{one("causeway.io", "Cluster"), "ready, as its newest spec says"},
		{external("ExternalSecret"), "Ready, and its Secret is made of its newest spec, unless it is made once"},
		{external("PushSecret"), "Ready, and what its newest spec names was pushed"},
		{external("SecretStore", "ClusterSecretStore", "ClusterExternalSecret"), "Ready"},
	}
}

// AWSControllers ends the groups whose kinds are healthy when they are Ready.
const AWSControllers = awsControllers
