package object

import "maps"

// frozen is a field that the API server does not let change, as the
// validation of its kind has it (Kubernetes 1.36, pkg/apis/*/validation).
type frozen struct {
	// path leads to the field; with except, to a mapping all of whose fields
	// are frozen but those.
	path   []string
	except []string
	// standard is what the API server takes an absent field for; leaving it
	// out and writing it are the same.
	standard any
	// free tells that this change is allowed all the same.
	free func(before, after map[string]any) bool
	// reduce leaves out of the value what may change inside of it.
	reduce func(object map[string]any, v any) any
}

func field(path ...string) frozen { return frozen{path: path} }

func (f frozen) or(standard any) frozen {
	f.standard = standard
	return f
}

func (f frozen) unless(free func(before, after map[string]any) bool) frozen {
	f.free = free
	return f
}

func (f frozen) but(except ...string) frozen {
	f.except = except
	return f
}

var frozenFields = map[string][]frozen{
	"apps/Deployment":         {field("spec", "selector")},
	"apps/ReplicaSet":         {field("spec", "selector")},
	"apps/DaemonSet":          {field("spec", "selector")},
	"apps/ControllerRevision": {field("data")},
	"apps/StatefulSet": {
		field("spec").but("replicas", "template", "updateStrategy", "minReadySeconds", "ordinals", "revisionHistoryLimit",
			"persistentVolumeClaimRetentionPolicy", "podManagementPolicy", "volumeClaimTemplates"),
		field("spec", "podManagementPolicy").or("OrderedReady"),
		{path: []string{"spec", "volumeClaimTemplates"}, reduce: claimTemplates},
	},
	"batch/Job": {
		field("spec", "selector"),
		field("spec", "completions").unless(elastic),
		field("spec", "completionMode").or("NonIndexed"),
		field("spec", "podFailurePolicy"), field("spec", "successPolicy"), field("spec", "backoffLimitPerIndex"), field("spec", "managedBy"),
		{path: []string{"spec", "template"}, reduce: jobTemplate},
	},
	"/Pod": {{path: []string{"spec"}, reduce: podSpec}},
	"/PersistentVolumeClaim": {
		field("spec").but("resources", "volumeAttributesClassName", "volumeMode", "volumeName"),
		field("spec", "volumeMode").or("Filesystem"),
		field("spec", "volumeName").unless(wasEmpty("spec", "volumeName")),
		field("spec", "resources", "requests", "storage").unless(growing),
	},
	"/PersistentVolume": {
		field("spec").but("capacity", "accessModes", "claimRef", "persistentVolumeReclaimPolicy", "storageClassName", "mountOptions",
			"nodeAffinity", "volumeAttributesClassName", "volumeMode"),
		field("spec", "volumeMode").or("Filesystem"),
		field("spec", "nodeAffinity").unless(wasEmpty("spec", "nodeAffinity")),
	},
	"/Service": {
		field("spec", "clusterIP").unless(addressFree),
		{path: []string{"spec", "clusterIPs"}, reduce: first, free: addressesFree},
		{path: []string{"spec", "ipFamilies"}, reduce: first, free: familiesFree},
		field("spec", "healthCheckNodePort").unless(notBoth("spec", "healthCheckNodePort")),
		field("spec", "loadBalancerClass").unless(balancerFree),
	},
	"/Secret": {
		field("type").or("Opaque"),
		field("data").unless(mutable), field("immutable").unless(mutable),
	},
	"/ConfigMap":                                   {field("data").unless(mutable), field("binaryData").unless(mutable), field("immutable").unless(mutable)},
	"rbac.authorization.k8s.io/RoleBinding":        {{path: []string{"roleRef"}, reduce: roleRef}},
	"rbac.authorization.k8s.io/ClusterRoleBinding": {{path: []string{"roleRef"}, reduce: roleRef}},
	"storage.k8s.io/StorageClass": {
		field("parameters"), field("provisioner"), field("reclaimPolicy").or("Delete"), field("volumeBindingMode").or("Immediate"),
	},
	"storage.k8s.io/VolumeAttributesClass":          {field("driverName"), field("parameters")},
	"storage.k8s.io/CSIDriver":                      {field("spec", "attachRequired").or(true), field("spec", "volumeLifecycleModes").or([]any{"Persistent"})},
	"storage.k8s.io/VolumeAttachment":               {field("spec")},
	"scheduling.k8s.io/PriorityClass":               {field("value"), field("preemptionPolicy").or("PreemptLowerPriority")},
	"networking.k8s.io/IngressClass":                {field("spec", "controller")},
	"networking.k8s.io/IPAddress":                   {field("spec", "parentRef")},
	"node.k8s.io/RuntimeClass":                      {field("handler")},
	"discovery.k8s.io/EndpointSlice":                {field("addressType")},
	"resource.k8s.io/ResourceClaim":                 {field("spec")},
	"resource.k8s.io/ResourceClaimTemplate":         {field("spec")},
	"resource.k8s.io/ResourceSlice":                 {field("spec", "driver"), field("spec", "nodeName"), field("spec", "pool", "name")},
	"certificates.k8s.io/CertificateSigningRequest": {field("spec")},
	"certificates.k8s.io/ClusterTrustBundle":        {field("spec", "signerName")},
	groupCRD + "/CustomResourceDefinition": {
		field("spec", "group"), field("spec", "scope"), field("spec", "names", "plural"), field("spec", "names", "kind"),
	},
}

// without copies a mapping but for some keys.
func without(v any, keys ...string) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := maps.Clone(m)
	for _, key := range keys {
		delete(out, key)
	}
	return out
}

// each changes the mappings of a list.
func each(v any, change func(map[string]any) any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	out := make([]any, len(list))
	for i, item := range list {
		out[i] = item
		if m, ok := item.(map[string]any); ok {
			out[i] = change(m)
		}
	}
	return out
}

// with copies a mapping with one value changed; an absent one stays so.
func with(v any, key string, change func(any) any) any {
	m, ok := v.(map[string]any)
	if !ok || m[key] == nil {
		return v
	}
	out := maps.Clone(m)
	out[key] = change(out[key])
	return out
}
