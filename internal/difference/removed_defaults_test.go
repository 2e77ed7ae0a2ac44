package difference

import (
	"encoding/json"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// manifest is an object as the engine has them, of YAML.
func manifest(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	return asObject(t, parsed(t, text).Object)
}

// withLast is an object that client-side apply wrote as it stands.
func withLast(t *testing.T, o *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	text, err := json.Marshal(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	o = o.DeepCopy()
	o.SetAnnotations(map[string]string{gitops.AnnotationLastApplied: string(text)})
	return o
}

// silence is a part of a manifest that Git no longer has, although it was applied:
// what the API server fills in there is no difference, and another value is one.
type silence struct{ reason, object, filled, other string }

func (s silence) try(t *testing.T) {
	t.Helper()
	desired := manifest(t, fmt.Sprintf(s.object, ""))
	for part, modified := range map[string]bool{s.filled: false, s.other: true} {
		if part == "" {
			continue
		}
		got, err := Of(t.Context(), Input{Desired: desired, Live: withLast(t, manifest(t, fmt.Sprintf(s.object, part)))})
		if err != nil || got.Modified != modified {
			t.Errorf("%s: with %s it is modified: %v, %v", s.reason, part, got.Modified, err)
		}
	}
}

func tryAll(t *testing.T, cases map[string]silence) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, tc.try)
	}
}

func TestDefaultsOfWorkloads(t *testing.T) {
	const (
		rolling     = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {strategy: {type: RollingUpdate, %s}}}`
		deployment  = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {selector: {}, %s}}`
		statefulSet = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {serviceName: a, %s}}`
		named       = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {updateStrategy: {type: RollingUpdate, %s}}}`
		daemonSet   = `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}, spec: {selector: {}, %s}}`
		replicas    = `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: a}, spec: {selector: {}, %s}}`
		controller  = `{apiVersion: v1, kind: ReplicationController, metadata: {name: a}, spec: {template: {metadata: {labels: {x: z}}}, %s}}`
		job         = `{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {template: {}, %s}}`
		indexed     = `{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {backoffLimitPerIndex: 1, %s}}`
		parallel    = `{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {parallelism: 3, %s}}`
		failing     = `{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {podFailurePolicy: {rules: []}, %s}}`
		cronJob     = `{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: "* * * * *", %s}}`
	)
	tryAll(t, map[string]silence{
		"Replicas":         {"one Pod is what a Deployment has", deployment, "replicas: 1", "replicas: 2"},
		"Strategy":         {"a quarter rolls at once", rolling, "rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}", "rollingUpdate: {maxSurge: 1}"},
		"History":          {"ten ReplicaSets are kept", deployment, "revisionHistoryLimit: 10", "revisionHistoryLimit: 3"},
		"Deadline":         {"ten minutes are what a roll has", deployment, "progressDeadlineSeconds: 600", "progressDeadlineSeconds: 60"},
		"PodManagement":    {"Pods come one after another", statefulSet, "podManagementPolicy: OrderedReady", "podManagementPolicy: Parallel"},
		"Partition":        {"all Pods roll", statefulSet, "updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}", "updateStrategy: {rollingUpdate: {partition: 2}}"},
		"Named":            {"what names its strategy has a partition where it says so", named, "", "rollingUpdate: {partition: 0}"},
		"NoRoll":           {"what does not roll has no partition", statefulSet, "", "updateStrategy: {type: OnDelete}"},
		"Claims":           {"claims stay", statefulSet, "persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}", "persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}"},
		"StatefulReplicas": {"one Pod, too", statefulSet, "replicas: 1, revisionHistoryLimit: 10", "replicas: 0"},
		"DaemonStrategy":   {"one node after another", daemonSet, "updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}", "updateStrategy: {rollingUpdate: {maxUnavailable: 2}}"},
		"DaemonHistory":    {"ten revisions", daemonSet, "revisionHistoryLimit: 10", "revisionHistoryLimit: 11"},
		"ReplicaSet":       {"one Pod, too", replicas, "replicas: 1", "replicas: 3"},
		"Controller":       {"the labels of its Pods are what it selects", controller, "selector: {x: z}, replicas: 1", "selector: {x: w}"},
		"Backoff":          {"six attempts", job, "backoffLimit: 6", "backoffLimit: 5"},
		"Once":             {"one Pod is to end well", job, "completions: 1, parallelism: 1", "completions: 2"},
		"Work":             {"Pods share their work where only their number is said", parallel, "", "completions: 1"},
		"BackoffOfIndexes": {"as many attempts as there may be, where each index has its own", indexed, "backoffLimit: 2147483647", "backoffLimit: 6"},
		"Mode":             {"no Pod has a number", job, "completionMode: NonIndexed, suspend: false, manualSelector: false", "completionMode: Indexed"},
		"Replacement":      {"a Pod is replaced when it begins to end", job, "podReplacementPolicy: TerminatingOrFailed", "podReplacementPolicy: Failed"},
		"ReplacementOf":    {"but where failures have a policy", failing, "podReplacementPolicy: Failed", "podReplacementPolicy: TerminatingOrFailed"},
		"Concurrency":      {"runs may overlap", cronJob, "concurrencyPolicy: Allow, suspend: false", "concurrencyPolicy: Forbid"},
		"Limits":           {"three good runs and a bad one are kept", cronJob, "successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1", "failedJobsHistoryLimit: 3"},
	})
}

func TestDefaultsOfAutoscalers(t *testing.T) {
	const (
		first     = `{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 3, %s}}`
		second    = `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 3, %s}}`
		behaviour = `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 3, behavior: {scaleUp: {}, %s}}}`
		up        = `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 3, behavior: {scaleUp: {selectPolicy: Max, %s}}}}`
	)
	tryAll(t, map[string]silence{
		"First":  {"one Pod at least", first, "minReplicas: 1", "minReplicas: 2"},
		"Second": {"one Pod at least, in the second version, too", second, "minReplicas: 1", "minReplicas: 2"},
		"Metrics": {
			"four fifths of the requested time are what is aimed at", second,
			"metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]",
			"metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]",
		},
		"Down": {
			"all may go at once", behaviour,
			"scaleDown: {selectPolicy: Max, policies: [{type: Percent, value: 100, periodSeconds: 15}]}",
			"scaleDown: {selectPolicy: Min}",
		},
		"Up": {
			"as many again, or four, may come at once", up,
			"stabilizationWindowSeconds: 0, policies: [{type: Pods, value: 4, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 15}]",
			"policies: [{type: Pods, value: 4, periodSeconds: 15}]",
		},
	})
}

func TestDefaultsOfPods(t *testing.T) {
	const (
		pod       = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {%s}}`
		container = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: "h:5000/a:1", %s}]}}`
		latest    = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: "h:5000/a:latest", %s}]}}`
		untagged  = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {initContainers: [{name: a, image: "h:5000/a", %s}]}}`
		digest    = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {ephemeralContainers: [{name: a, image: "a@sha256:0a", %s}]}}`
		port      = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {hostNetwork: true, containers: [{name: a, ports: [{containerPort: 80, %s}]}]}}`
		apart     = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, ports: [{containerPort: 80, %s}]}]}}`
		limited   = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, resources: {limits: {cpu: 100m}, %s}}]}}`
		probe     = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, livenessProbe: {httpGet: {port: 80}, %s}}]}}`
		get       = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, livenessProbe: {httpGet: {port: 80, %s}}}]}}`
		grpc      = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, livenessProbe: {grpc: {port: 80, %s}}}]}}`
		file      = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, env: [{name: x, valueFrom: {fileKeyRef: {volumeName: a, %s}}}]}]}}`
		field     = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, env: [{name: x, valueFrom: {fieldRef: {fieldPath: a, %s}}}]}]}}`
	)
	tryAll(t, map[string]silence{
		"Names":       {"it asks the cluster for names", pod, "dnsPolicy: ClusterFirst, schedulerName: default-scheduler", "dnsPolicy: Default"},
		"Restart":     {"it starts again", pod, "restartPolicy: Always, securityContext: {}", "restartPolicy: Never"},
		"Grace":       {"it has half a minute to end", pod, "terminationGracePeriodSeconds: 30, enableServiceLinks: true", "terminationGracePeriodSeconds: 0"},
		"Links":       {"variables tell it of Services", pod, "enableServiceLinks: true", "enableServiceLinks: false"},
		"Tag":         {"an image with a tag is pulled once", container, "imagePullPolicy: IfNotPresent", "imagePullPolicy: Always"},
		"Latest":      {"the latest is pulled always", latest, "imagePullPolicy: Always", "imagePullPolicy: IfNotPresent"},
		"NoTag":       {"a registry's port is no tag", untagged, "imagePullPolicy: Always", "imagePullPolicy: IfNotPresent"},
		"Digest":      {"what a digest names is always the same", digest, "imagePullPolicy: IfNotPresent, terminationMessagePolicy: File", "imagePullPolicy: Always"},
		"Message":     {"where it says why it ended", container, "terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File", "terminationMessagePath: /x"},
		"HostPort":    {"on the node's network, a port is the node's", port, "hostPort: 80, protocol: TCP", "hostPort: 81"},
		"NoHostPort":  {"elsewhere it is not", apart, "protocol: TCP", "hostPort: 80"},
		"Requests":    {"what is limited is requested", limited, "requests: {cpu: 100m}", "requests: {cpu: 50m}"},
		"Probe":       {"how often is asked", probe, "timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3", "failureThreshold: 1"},
		"Get":         {"what is asked", get, "path: /, scheme: HTTP", "scheme: HTTPS"},
		"GRPC":        {"which service is asked", grpc, `service: ""`, "service: a"},
		"FileKey":     {"a file of variables has to be there", file, "optional: false", "optional: true"},
		"FieldOfSelf": {"whose field is meant", field, "apiVersion: v1", "apiVersion: v2"},
	})
}

func TestDefaultsOfVolumes(t *testing.T) {
	const (
		volume    = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{name: a, %s}]}}`
		secret    = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{name: a, secret: {secretName: a, %s}}]}}`
		config    = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{name: a, configMap: {name: a, %s}}]}}`
		downward  = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{name: a, downwardAPI: {items: [], %s}}]}}`
		projected = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{name: a, projected: {sources: [], %s}}]}}`
		token     = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{name: a, projected: {sources: [{serviceAccountToken: {path: a, %s}}]}}]}}`
		host      = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{name: a, hostPath: {path: /a, %s}}]}}`
		image     = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{name: a, image: {reference: a, %s}}]}}`
		iscsi     = `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {volumes: [{name: a, iscsi: {iqn: a, %s}}]}}`
		rbd       = `{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {rbd: {image: a, %s}}}`
		scale     = `{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {scaleIO: {gateway: a, %s}}}`
		disk      = `{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {azureDisk: {diskName: a, %s}}}`
		whole     = `{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {capacity: {storage: 1Gi}, %s}}`
		claim     = `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {accessModes: [], %s}}`
	)
	tryAll(t, map[string]silence{
		"Empty":     {"one of nothing is an empty folder", volume, "emptyDir: {}", "hostPath: {path: /a}"},
		"Secret":    {"all may read its files", secret, "defaultMode: 420", "defaultMode: 256"},
		"ConfigMap": {"all may read its files", config, "defaultMode: 420", "defaultMode: 256"},
		"Downward":  {"all may read its files", downward, "defaultMode: 420", "defaultMode: 256"},
		"Projected": {"all may read its files", projected, "defaultMode: 420", "defaultMode: 256"},
		"Token":     {"a token is good for an hour", token, "expirationSeconds: 3600", "expirationSeconds: 600"},
		"Host":      {"what the node has there is not looked at", host, `type: ""`, "type: Directory"},
		"Image":     {"an image is pulled as one that is run", image, "pullPolicy: Always", "pullPolicy: Never"},
		"ISCSI":     {"the usual interface", iscsi, "iscsiInterface: default", "iscsiInterface: x"},
		"RBD":       {"the usual pool, user and key", rbd, "pool: rbd, user: admin, keyring: /etc/ceph/keyring", "pool: x"},
		"ScaleIO":   {"the usual storage", scale, "storageMode: ThinProvisioned, fsType: xfs", "fsType: ext4"},
		"Disk":      {"the usual disk", disk, "cachingMode: ReadWrite, kind: Shared, fsType: ext4, readOnly: false", "kind: Managed"},
		"Reclaim":   {"what is in a volume stays", whole, "persistentVolumeReclaimPolicy: Retain, volumeMode: Filesystem", "persistentVolumeReclaimPolicy: Delete"},
		"Claim":     {"a claim asks for files", claim, "volumeMode: Filesystem", "volumeMode: Block"},
	})
}

func TestDefaultsOfNetworks(t *testing.T) {
	const (
		service  = `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {selector: {}, %s}}`
		port     = `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80, %s}]}}`
		node     = `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {type: NodePort, %s}}`
		balancer = `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {type: LoadBalancer, %s}}`
		external = `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {externalIPs: [192.0.2.1], %s}}`
		alias    = `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {type: ExternalName, %s}}`
		sticky   = `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {sessionAffinity: ClientIP, %s}}`
		policy   = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}, spec: {podSelector: {}, %s}}`
		egress   = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}, spec: {egress: [{}], %s}}`
		ports    = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}, spec: {ingress: [{ports: [{port: 80, %s}]}]}}`
		class    = `{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: a}, spec: {parameters: {kind: A, name: a, %s}}}`
		slice    = `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: a}, addressType: IPv4, ports: [{port: 80, %s}]}`
	)
	tryAll(t, map[string]silence{
		"Type":         {"a Service is for the cluster", service, "type: ClusterIP, sessionAffinity: None, internalTrafficPolicy: Cluster", "type: NodePort"},
		"Target":       {"a port leads to itself", port, "targetPort: 80, protocol: TCP", "targetPort: 8080"},
		"Protocol":     {"it is TCP", port, "protocol: TCP", "protocol: UDP"},
		"Outside":      {"any node answers who comes from outside", node, "externalTrafficPolicy: Cluster, internalTrafficPolicy: Cluster", "externalTrafficPolicy: Local"},
		"External":     {"also where it has addresses of others", external, "externalTrafficPolicy: Cluster", "externalTrafficPolicy: Local"},
		"Balancer":     {"a load balancer comes by ports of nodes", balancer, "allocateLoadBalancerNodePorts: true", "allocateLoadBalancerNodePorts: false"},
		"Alias":        {"an alias has no traffic", alias, "sessionAffinity: None", "internalTrafficPolicy: Cluster"},
		"Sticky":       {"who came before is known for three hours", sticky, "sessionAffinityConfig: {clientIP: {timeoutSeconds: 10800}}", "sessionAffinityConfig: {clientIP: {timeoutSeconds: 60}}"},
		"Ingress":      {"a policy is about what comes in", policy, "policyTypes: [Ingress]", "policyTypes: [Egress]"},
		"Egress":       {"and about what goes out where it says of that", egress, "policyTypes: [Ingress, Egress]", "policyTypes: [Ingress]"},
		"PolicyPort":   {"a port is one of TCP", ports, "protocol: TCP", "protocol: UDP"},
		"Class":        {"the parameters of a class are the cluster's", class, "scope: Cluster", "scope: Namespace"},
		"EndpointPort": {"a port needs no name", slice, `name: "", protocol: TCP`, "name: web"},
	})
}

func TestDefaultsOfWhatGoverns(t *testing.T) {
	const (
		binding   = `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, roleRef: {kind: Role, name: a, %s}}`
		user      = `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, subjects: [{kind: User, name: a, %s}]}`
		account   = `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, subjects: [{kind: ServiceAccount, name: a, %s}]}`
		secret    = `{apiVersion: v1, kind: Secret, metadata: {name: a}, %s}`
		namespace = `{apiVersion: v1, kind: Namespace, metadata: {name: a, %s}}`
		limits    = `{apiVersion: v1, kind: LimitRange, metadata: {name: a}, spec: {limits: [{type: Container, max: {cpu: 2}, min: {memory: 1Mi}, %s}]}}`
		ofPods    = `{apiVersion: v1, kind: LimitRange, metadata: {name: a}, spec: {limits: [{type: Pod, max: {cpu: 2}, %s}]}}`
		priority  = `{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a}, value: 1, %s}`
		storage   = `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: a}, provisioner: a, %s}`
		driver    = `{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: a}, spec: {%s}}`
		checks    = `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a}, webhooks: [{name: a, %s}]}`
		mutates   = `{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: a}, webhooks: [{name: a, %s}]}`
		asks      = `{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: a}, webhooks: [{name: a, clientConfig: {service: {name: a, %s}}}]}`
		rules     = `{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: a}, webhooks: [{name: a, rules: [{operations: ["*"], %s}]}]}`
		policy    = `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: a}, spec: {matchConstraints: {}, %s}}`
		mutating  = `{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {name: a}, spec: {matchConstraints: {}, %s}}`
		flow      = `{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, metadata: {name: a}, spec: {%s}}`
		limited   = `{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: PriorityLevelConfiguration, metadata: {name: a}, spec: {limited: {limitResponse: {queuing: {handSize: 8, %s}}}}}`
		devices   = `{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a}, spec: {devices: {requests: [{name: a, firstAvailable: [{name: a, deviceClassName: a, %s}]}]}}}`
		device    = `{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a}, spec: {devices: {requests: [{name: a, exactly: {deviceClassName: a, %s}}]}}}`
	)
	tryAll(t, map[string]silence{
		"Role":        {"a role is one of Kubernetes", binding, "apiGroup: rbac.authorization.k8s.io", "apiGroup: x"},
		"User":        {"so is a user", user, "apiGroup: rbac.authorization.k8s.io", "apiGroup: x"},
		"Account":     {"but a ServiceAccount has no group", account, "", "apiGroup: rbac.authorization.k8s.io"},
		"Secret":      {"a Secret is of no certain type", secret, "type: Opaque", "type: kubernetes.io/tls"},
		"Namespace":   {"a label has its name", namespace, "labels: {kubernetes.io/metadata.name: a}", "labels: {kubernetes.io/metadata.name: a, x: z}"},
		"Limits":      {"what a container may have most is what it has, and requests", limits, "default: {cpu: 2}, defaultRequest: {cpu: 2, memory: 1Mi}", "default: {cpu: 1}"},
		"LimitsOfPod": {"of a Pod nothing follows", ofPods, "", "default: {cpu: 2}"},
		"Priority":    {"others make room", priority, "preemptionPolicy: PreemptLowerPriority", "preemptionPolicy: Never"},
		"Storage":     {"a volume goes with its claim", storage, "reclaimPolicy: Delete, volumeBindingMode: Immediate", "reclaimPolicy: Retain"},
		"Driver":      {"what a driver is asked", driver, "attachRequired: true, podInfoOnMount: false, storageCapacity: false, fsGroupPolicy: ReadWriteOnceWithFSType, volumeLifecycleModes: [Persistent], requiresRepublish: false, seLinuxMount: false", "attachRequired: false"},
		"Checks":      {"who does not answer refuses", checks, "failurePolicy: Fail, matchPolicy: Equivalent, timeoutSeconds: 10, namespaceSelector: {}, objectSelector: {}", "failurePolicy: Ignore"},
		"Mutates":     {"it is asked once", mutates, "reinvocationPolicy: Never, failurePolicy: Fail", "reinvocationPolicy: IfNeeded"},
		"Asks":        {"it is asked by https", asks, "port: 443", "port: 8443"},
		"Rules":       {"about all, in namespaces and outside", rules, `scope: "*"`, "scope: Cluster"},
		"Policy":      {"what cannot be judged is refused", policy, "failurePolicy: Fail", "failurePolicy: Ignore"},
		"Mutating":    {"nor is what cannot be changed taken", mutating, "failurePolicy: Fail", "failurePolicy: Ignore"},
		"Flow":        {"a flow has its place", flow, "matchingPrecedence: 1000", "matchingPrecedence: 1"},
		"Queues":      {"how many may wait", limited, "queues: 64, queueLengthLimit: 50", "queues: 1"},
		"Devices":     {"one device of those that are as good", devices, "allocationMode: ExactCount, count: 1", "count: 2"},
		"Device":      {"one device", device, "allocationMode: ExactCount, count: 1", "allocationMode: All"},
	})
}
