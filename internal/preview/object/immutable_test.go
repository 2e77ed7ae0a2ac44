package object

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// refused are the fields that an API server does not let change, as risks name them.
func refused(t *testing.T, apiVersion, kind, before, after string, o Options) []string {
	t.Helper()
	got := Compare(manifests(t, wrap(apiVersion, kind, before)), manifests(t, wrap(apiVersion, kind, after)), o)
	if len(got.Objects) == 0 {
		t.Fatal("both count as equal")
	}
	var out []string
	for _, r := range got.Risks {
		if r.Kind == forecast.RiskImmutable {
			field, _, _ := strings.Cut(r.Message, " cannot be changed")
			out = append(out, field)
		}
	}
	return out
}

// fieldsOfKind are two versions of the body of an object, and what is refused.
type fieldsOfKind struct {
	reason, before, after string
	want                  []string
}

func testRefused(t *testing.T, apiVersion, kind string, cases map[string]fieldsOfKind) {
	t.Helper()
	for name, tc := range cases {
		t.Run(kind+"/"+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, refused(t, apiVersion, kind, tc.before, tc.after, Options{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFieldsOfServicesThatCannotChange(t *testing.T) {
	testRefused(t, "v1", "Service", map[string]fieldsOfKind{
		"Addresses":       {"the first address stays", "spec: {clusterIPs: [10.0.0.1]}", "spec: {clusterIPs: [10.0.0.2]}", []string{"spec.clusterIPs"}},
		"SecondAddress":   {"another one may come", "spec: {clusterIPs: [10.0.0.1]}", "spec: {clusterIPs: [10.0.0.1, 'fd00::1']}", nil},
		"NoAddresses":     {"what is left out is kept", "spec: {clusterIPs: [10.0.0.1]}", "spec: {ports: []}", nil},
		"External":        {"without addresses none has to stay", "spec: {type: ExternalName, clusterIPs: [10.0.0.1]}", "spec: {clusterIPs: [10.0.0.2]}", nil},
		"Families":        {"the first family stays", "spec: {ipFamilies: [IPv4, IPv6]}", "spec: {ipFamilies: [IPv6, IPv4]}", []string{"spec.ipFamilies"}},
		"SecondFamily":    {"the second may go", "spec: {ipFamilies: [IPv4, IPv6]}", "spec: {ipFamilies: [IPv4]}", nil},
		"HealthCheck":     {"its port stays", "spec: {healthCheckNodePort: 1}", "spec: {healthCheckNodePort: 2}", []string{"spec.healthCheckNodePort"}},
		"HealthCheckLeft": {"one that is left out is kept", "spec: {healthCheckNodePort: 1}", "spec: {}", nil},
		"Balancer":        {"its class stays", "spec: {type: LoadBalancer, loadBalancerClass: a}", "spec: {type: LoadBalancer, loadBalancerClass: b}", []string{"spec.loadBalancerClass"}},
		"BalancerGone":    {"and may not be left out", "spec: {type: LoadBalancer, loadBalancerClass: a}", "spec: {type: LoadBalancer}", []string{"spec.loadBalancerClass"}},
		"BecomesBalancer": {"it is chosen when there is a balancer", "spec: {type: ClusterIP}", "spec: {type: LoadBalancer, loadBalancerClass: b}", nil},
		"EmptyAddress":    {"an empty address is none", "spec: {clusterIP: ''}", "spec: {clusterIP: 10.0.0.1}", nil},
		"Type":            {"the type may change", "spec: {type: ClusterIP}", "spec: {type: NodePort}", nil},
	})
}

func TestFieldsOfVolumesThatCannotChange(t *testing.T) {
	testRefused(t, "v1", "PersistentVolumeClaim", map[string]fieldsOfKind{
		"Modes":       {"how it is mounted", "spec: {accessModes: [ReadWriteOnce]}", "spec: {accessModes: [ReadWriteMany]}", []string{"spec.accessModes"}},
		"Several":     {"each is told", "spec: {accessModes: [ReadWriteOnce], storageClassName: a}", "spec: {accessModes: [ReadWriteMany], storageClassName: b}", []string{"spec.accessModes", "spec.storageClassName"}},
		"Filesystem":  {"the mode that is taken for none", "spec: {}", "spec: {volumeMode: Filesystem}", nil},
		"Block":       {"another mode", "spec: {}", "spec: {volumeMode: Block}", []string{"spec.volumeMode"}},
		"Bound":       {"a volume may be named once", "spec: {}", "spec: {volumeName: pv-1}", nil},
		"Rebound":     {"another volume", "spec: {volumeName: pv-1}", "spec: {volumeName: pv-2}", []string{"spec.volumeName"}},
		"Unbound":     {"none is another", "spec: {volumeName: pv-1}", "spec: {}", []string{"spec.volumeName"}},
		"Same":        {"the same size in other words", "spec: {resources: {requests: {storage: 1024Mi}}}", "spec: {volumeAttributesClassName: a, resources: {requests: {storage: 1Gi}}}", nil},
		"NoSize":      {"a size that goes is no growth", "spec: {resources: {requests: {storage: 1Gi}}}", "spec: {}", []string{"spec.resources.requests.storage"}},
		"BrokenSize":  {"nobody knows whether it grows", "spec: {resources: {requests: {storage: 1Gi}}}", "spec: {resources: {requests: {storage: much}}}", []string{"spec.resources.requests.storage"}},
		"OnlyAMatter": {"labels may change", "spec: {}", "metadata2: x\nspec: {}", nil},
	})
	testRefused(t, "v1", "PersistentVolume", map[string]fieldsOfKind{
		"Moved":    {"where data is", "spec: {csi: {volumeHandle: a}}", "spec: {csi: {volumeHandle: b}}", []string{"spec.csi"}},
		"Other":    {"another kind of it is two changes", "spec: {nfs: {path: a}}", "spec: {csi: {volumeHandle: b}}", []string{"spec.csi", "spec.nfs"}},
		"Affinity": {"the node on which it is", "spec: {nodeAffinity: {required: {a: b}}}", "spec: {nodeAffinity: {required: {a: c}}}", []string{"spec.nodeAffinity"}},
		"Placed":   {"a node may be named once", "spec: {}", "spec: {nodeAffinity: {required: {a: c}}}", nil},
		"Policy":   {"what becomes of it may change", "spec: {persistentVolumeReclaimPolicy: Delete, capacity: {storage: 1Gi}}", "spec: {persistentVolumeReclaimPolicy: Retain, capacity: {storage: 2Gi}}", nil},
	})
	testRefused(t, "storage.k8s.io/v1", "StorageClass", map[string]fieldsOfKind{
		"Parameters": {"volumes that are there have them", "parameters: {a: b}", "parameters: {a: c}", []string{"parameters"}},
		"Defaults":   {"what is taken for none is written", "provisioner: a", "provisioner: a\nreclaimPolicy: Delete\nvolumeBindingMode: Immediate", nil},
		"Binding":    {"when volumes are made", "provisioner: a", "provisioner: a\nvolumeBindingMode: WaitForFirstConsumer", []string{"volumeBindingMode"}},
		"Growth":     {"volumes may be let grow", "provisioner: a", "provisioner: a\nallowVolumeExpansion: true", nil},
	})
	testRefused(t, "storage.k8s.io/v1", "CSIDriver", map[string]fieldsOfKind{
		"Attach":  {"no is another than none", "spec: {}", "spec: {attachRequired: false}", []string{"spec.attachRequired"}},
		"Default": {"yes is what none means", "spec: {}", "spec: {attachRequired: true, volumeLifecycleModes: [Persistent]}", nil},
	})
}

func TestFieldsOfWorkloadsThatCannotChange(t *testing.T) {
	testRefused(t, "apps/v1", "StatefulSet", map[string]fieldsOfKind{
		"Policy":     {"how pods follow each other", "spec: {}", "spec: {podManagementPolicy: Parallel}", []string{"spec.podManagementPolicy"}},
		"Template":   {"its pods may change", "spec: {template: {a: b}, minReadySeconds: 1}", "spec: {template: {a: c}, minReadySeconds: 2, ordinals: {start: 1}}", nil},
		"ClaimName":  {"another claim", "spec: {volumeClaimTemplates: [{metadata: {name: a}}]}", "spec: {volumeClaimTemplates: [{metadata: {name: b}}]}", []string{"spec.volumeClaimTemplates"}},
		"ClaimGoes":  {"no claim any more", "spec: {volumeClaimTemplates: [{metadata: {name: a}}]}", "spec: {}", []string{"spec.volumeClaimTemplates"}},
		"ClaimBlock": {"another mode of the volume", "spec: {volumeClaimTemplates: [{metadata: {name: a}, spec: {volumeMode: Filesystem}}]}", "spec: {volumeClaimTemplates: [{metadata: {name: a}, spec: {volumeMode: Block}}]}", []string{"spec.volumeClaimTemplates"}},
		"Both":       {"each is told", "spec: {serviceName: a, selector: {a: b}}", "spec: {serviceName: b, selector: {a: c}}", []string{"spec.selector", "spec.serviceName"}},
	})
	testRefused(t, "apps/v1", "DaemonSet", map[string]fieldsOfKind{"Selector": {"its pods are known by it", "spec: {selector: {a: b}}", "spec: {}", []string{"spec.selector"}}})
	testRefused(t, "batch/v1", "Job", map[string]fieldsOfKind{
		"Mode":        {"how it is complete", "spec: {}", "spec: {completionMode: Indexed}", []string{"spec.completionMode"}},
		"ModeWritten": {"what is taken for none", "spec: {}", "spec: {completionMode: NonIndexed, parallelism: 2}", nil},
		"NotTogether": {"both numbers change, or none", "spec: {completionMode: Indexed, completions: 2, parallelism: 2}", "spec: {completionMode: Indexed, completions: 3, parallelism: 2}", []string{"spec.completions"}},
		"NotIndexed":  {"nor those of one without places", "spec: {completions: 2, parallelism: 2}", "spec: {completions: 3, parallelism: 3}", []string{"spec.completions"}},
		"Running":     {"where it runs, when it does", "spec: {template: {spec: {nodeSelector: {a: b}}}}", "spec: {template: {spec: {nodeSelector: {a: c}}}}", []string{"spec.template"}},
		"Suspended": {
			"before it starts, where and with how much",
			"spec: {suspend: true, template: {metadata: {labels: {a: b}}, spec: {tolerations: [], containers: [{name: a, resources: {limits: {cpu: 1}}}]}}}",
			"spec: {suspend: true, template: {metadata: {labels: {a: c}}, spec: {affinity: {}, containers: [{name: a, resources: {limits: {cpu: 2}}}]}}}", nil,
		},
		"SuspendedImage": {"but not what", "spec: {suspend: true, template: {spec: {containers: [{name: a, image: a}]}}}", "spec: {suspend: true, template: {spec: {containers: [{name: a, image: b}]}}}", []string{"spec.template"}},
		"Starts":         {"nor while it is started", "spec: {suspend: true, template: {spec: {nodeSelector: {a: b}}}}", "spec: {suspend: false, template: {spec: {nodeSelector: {a: c}}}}", []string{"spec.template"}},
		"Failures":       {"what counts as a failure", "spec: {podFailurePolicy: {rules: []}}", "spec: {podFailurePolicy: {rules: [{action: Ignore}]}, backoffLimit: 3}", []string{"spec.podFailurePolicy"}},
		"Owner":          {"who runs it", "spec: {managedBy: a}", "spec: {managedBy: b}", []string{"spec.managedBy"}},
		"Retries":        {"how often it is tried may change", "spec: {backoffLimit: 3}", "spec: {backoffLimit: 4, ttlSecondsAfterFinished: 1}", nil},
	})
	testRefused(t, "v1", "Pod", map[string]fieldsOfKind{
		"Image":      {"the image may change", "spec: {containers: [{name: a, image: a}], initContainers: [{name: i, image: a}]}", "spec: {containers: [{name: a, image: b}], initContainers: [{name: i, image: b}]}", nil},
		"Deadline":   {"and how long it may run", "spec: {tolerations: [], nodeName: a}", "spec: {activeDeadlineSeconds: 3, tolerations: [{key: a}], nodeName: a}", nil},
		"Arguments":  {"but not with what it runs", "spec: {containers: [{name: a, args: [a]}]}", "spec: {containers: [{name: a, args: [b]}]}", []string{"spec"}},
		"Containers": {"nor how many", "spec: {containers: [{name: a}]}", "spec: {containers: [{name: a}, {name: b}]}", []string{"spec"}},
	})
}

func TestFieldsOfOtherKindsThatCannotChange(t *testing.T) {
	testRefused(t, "v1", "ConfigMap", map[string]fieldsOfKind{
		"Binary":     {"data in any form", "immutable: true\nbinaryData: {a: YQ==}", "immutable: true\nbinaryData: {a: Yg==}", []string{"binaryData"}},
		"NoLonger":   {"nor can it be made mutable", "immutable: true\ndata: {a: b}", "data: {a: b}", []string{"immutable"}},
		"NoLongerBe": {"nor in the same moment", "immutable: true\ndata: {a: b}", "immutable: false\ndata: {a: c}", []string{"data", "immutable"}},
	})
	testRefused(t, "v1", "Secret", map[string]fieldsOfKind{
		"Opaque":     {"the type that is taken for none", "data: {a: YQ==}", "type: Opaque\ndata: {a: Yg==}", nil},
		"StringData": {"plain or in base64 it is the data", "immutable: true\ndata: {a: YQ==}", "immutable: true\nstringData: {a: b}", []string{"data"}},
	})
	testRefused(t, "rbac.authorization.k8s.io/v1", "ClusterRoleBinding", map[string]fieldsOfKind{
		"Group": {"its group has one possible value", "roleRef: {kind: ClusterRole, name: a}\nsubjects: []", "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: a}\nsubjects: []", nil},
		"Kind":  {"a role of another kind", "roleRef: {kind: ClusterRole, name: a}", "roleRef: {kind: Role, name: a}", []string{"roleRef"}},
	})
	testRefused(t, "scheduling.k8s.io/v1", "PriorityClass", map[string]fieldsOfKind{
		"Preemption": {"the policy that is taken for none", "value: 1", "value: 1\npreemptionPolicy: PreemptLowerPriority\ndescription: a", nil},
		"Never":      {"another one", "value: 1", "value: 1\npreemptionPolicy: Never", []string{"preemptionPolicy"}},
	})
	testRefused(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", map[string]fieldsOfKind{
		"Names": {"what it defines", "spec: {group: a.com, names: {kind: A, plural: as, singular: a}}", "spec: {group: b.com, names: {kind: B, plural: bs, singular: b}}", []string{"spec.group", "spec.names.plural", "spec.names.kind"}},
	})
	testRefused(t, "networking.k8s.io/v1", "IngressClass", map[string]fieldsOfKind{
		"Controller": {"who serves it", "spec: {controller: a, parameters: {name: a}}", "spec: {controller: b, parameters: {name: b}}", []string{"spec.controller"}},
	})
	testRefused(t, "example.com/v1", "StatefulSet", map[string]fieldsOfKind{
		"Custom": {"a custom resource that is called so is another kind", "spec: {serviceName: a}", "spec: {serviceName: b}", nil},
	})
}

// What an application's sync options say holds for its objects, unless one says otherwise.
func TestWhatMakesAChangePossible(t *testing.T) {
	deployment := func(options, selector string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, namespace: ns, annotations: {argocd.argoproj.io/sync-options: '" + options + "'}}\nspec: {selector: {a: " + selector + "}}"
	}
	const refuses, anew = "the API server refuses it; delete the object first, or give it the sync option Force=true", "Force=true deletes the object and creates it anew"
	cases := map[string]struct {
		reason, options string
		force           bool
		want            string
	}{
		"Nobody":      {"it is refused, and what helps is told", "", false, refuses},
		"Application": {"the application's option holds", "Prune=false", true, anew},
		"Object":      {"the object's own", "Prune=false, force=TRUE", false, anew},
		"ObjectNot":   {"the object's own comes first", "Force=false", true, refuses},
		"Both":        {"of an object that says both nothing is deleted", "Force=true,Force=false", false, refuses},
		"Another":     {"another option has another meaning", "ServerSideApply=true", false, refuses},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Compare(manifests(t, deployment(tc.options, "b")), manifests(t, deployment(tc.options, "c")), Options{Force: tc.force})
			want := []forecast.Risk{{Kind: forecast.RiskImmutable, Object: "Deployment ns/x", Message: "spec.selector cannot be changed: " + tc.want}}
			if diff := cmp.Diff(want, got.Risks); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// A hook that is created anew for each sync never meets the one before; one that stays does.
func TestHooksMeetWhatTheyWere(t *testing.T) {
	cases := map[string]struct {
		reason, annotations string
		refused             bool
	}{
		"Hook":       {"without a policy it is deleted before it is made", "argocd.argoproj.io/hook: PreSync", false},
		"Before":     {"nor with the policy that says so", "argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: 'HookFailed,BeforeHookCreation'", false},
		"Succeeded":  {"one that failed is still there", "argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: HookSucceeded", true},
		"Helm":       {"Helm's words for it", "helm.sh/hook: pre-install, helm.sh/hook-delete-policy: before-hook-creation", false},
		"HelmStays":  {"Helm's words for it", "helm.sh/hook: pre-install, helm.sh/hook-delete-policy: hook-succeeded", true},
		"ArgoBefore": {"Argo CD's policy comes before Helm's", "helm.sh/hook: pre-install, helm.sh/hook-delete-policy: hook-succeeded, argocd.argoproj.io/hook-delete-policy: BeforeHookCreation", false},
		"Policy":     {"a policy alone makes no hook", "argocd.argoproj.io/hook-delete-policy: BeforeHookCreation", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			job := func(image string) string {
				return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x, namespace: ns, annotations: {" + tc.annotations + "}}\nspec: {template: {spec: {containers: [{name: a, image: " + image + "}]}}}"
			}
			got := Compare(manifests(t, job("a")), manifests(t, job("b")), Options{})
			if (len(got.Risks) > 0) != tc.refused {
				t.Errorf("%s: risks are %+v", tc.reason, got.Risks)
			}
		})
	}
}
