package observe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// told is an object of a kind, and what a page says of it.
type told struct {
	reason, kind, fields string
	want                 gitops.HealthCode
	message              string
}

// tell compares what is told of objects, word by word: recorded cases have the status alone.
func tell(t *testing.T, cases map[string]told) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			version, kind, _ := strings.Cut(tc.kind, " ")
			o := object(t, tc.fields)
			o.SetAPIVersion(version)
			o.SetKind(kind)
			got, err := New().Health("", o)
			if diff := cmp.Diff(gitops.Health{Code: tc.want, Message: tc.message}, got); diff != "" || err != nil {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestWorkloadsTellWhatTheyWaitFor(t *testing.T) {
	const deployment, set, daemons, replicas = "apps/v1 Deployment", "apps/v1 StatefulSet", "apps/v1 DaemonSet", "apps/v1 ReplicaSet"
	tell(t, map[string]told{
		"Paused":      {"a pause comes before all that is missing", deployment, "{metadata: {generation: 2}, spec: {paused: true, replicas: 3}}", gitops.Suspended, "Deployment is paused"},
		"Unseen":      {"a status of an older spec says nothing, not even of a deadline", deployment, "{metadata: {generation: 2}, status: {observedGeneration: 1, conditions: [{type: Progressing, reason: ProgressDeadlineExceeded}]}}", gitops.Progressing, "Waiting for the new spec to be observed"},
		"Deadline":    {"a deadline that is over is told with the name", deployment, "{metadata: {name: web}, spec: {replicas: 1}, status: {conditions: [{type: Progressing, reason: ProgressDeadlineExceeded}]}}", gitops.Degraded, `Deployment "web" exceeded its progress deadline`},
		"Updating":    {"new replicas come first", deployment, "{spec: {replicas: 3}, status: {replicas: 3, updatedReplicas: 1}}", gitops.Progressing, "1 of 3 replicas are updated"},
		"Unavailable": {"then they have to be available", deployment, "{spec: {replicas: 2}, status: {replicas: 2, updatedReplicas: 2, availableReplicas: 1}}", gitops.Progressing, "1 of 2 updated replicas are available"},
		"None":        {"none are wanted, and none are there", deployment, "{spec: {replicas: 0}}", gitops.Healthy, ""},

		"SetUnseen": {"a set without an observed spec was not looked at, whatever its generation", set, "{spec: {replicas: 0}}", gitops.Progressing, "Waiting for the new spec to be observed"},
		"SetReady":  {"pods of a set have to be ready", set, "{spec: {replicas: 2}, status: {observedGeneration: 1, readyReplicas: 1}}", gitops.Progressing, "1 of 2 pods are ready"},
		"SetOnDelete": {
			"pods that are replaced by hand may be old", set,
			"{spec: {replicas: 1, updateStrategy: {type: OnDelete}}, status: {observedGeneration: 1, readyReplicas: 1, updateRevision: b, currentRevision: a}}", gitops.Healthy, "1 pods are ready",
		},
		"SetPartition": {
			"pods below a partition may be old", set,
			"{spec: {replicas: 3, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}}, status: {observedGeneration: 1, readyReplicas: 3, updatedReplicas: 1, updateRevision: b, currentRevision: a}}",
			gitops.Healthy, "",
		},
		"SetAbove": {
			"those above it may not", set,
			"{spec: {replicas: 3, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}}, status: {observedGeneration: 1, readyReplicas: 3, updatedReplicas: 1}}",
			gitops.Progressing, "1 of 2 pods above the partition are updated",
		},
		"SetRevision": {
			"without a partition all have one revision", set,
			"{spec: {replicas: 2}, status: {observedGeneration: 1, readyReplicas: 2, updatedReplicas: 1, updateRevision: b, currentRevision: a}}", gitops.Progressing, "1 of 2 pods are updated",
		},

		"DaemonsUpdate":    {"a pod on each node is updated", daemons, "{status: {desiredNumberScheduled: 3, updatedNumberScheduled: 2}}", gitops.Progressing, "2 of 3 pods are updated"},
		"DaemonsAvailable": {"and available", daemons, "{status: {desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 1}}", gitops.Progressing, "1 of 3 pods are available"},
		"DaemonsOnDelete":  {"unless they are replaced by hand", daemons, "{spec: {updateStrategy: {type: OnDelete}}, status: {desiredNumberScheduled: 3, updatedNumberScheduled: 1}}", gitops.Healthy, "1 of 3 pods are updated"},

		"ReplicasFail":  {"what forbids pods is told, as a quota", replicas, `{spec: {replicas: 1}, status: {conditions: [{type: ReplicaFailure, status: "True", message: exceeded quota}]}}`, gitops.Degraded, "exceeded quota"},
		"ReplicasAgain": {"what forbade them once is not", replicas, `{spec: {replicas: 1}, status: {availableReplicas: 1, conditions: [{type: ReplicaFailure, status: "False", message: exceeded quota}]}}`, gitops.Healthy, ""},
		"ReplicasWait":  {"otherwise it is waited for", replicas, "{spec: {replicas: 2}, status: {availableReplicas: 1}}", gitops.Progressing, "1 of 2 replicas are available"},
	})
}

func TestPodsTellWhatIsWrong(t *testing.T) {
	const server, ends = "restartPolicy: Always", "restartPolicy: Never"
	pod := func(reason, spec, status string, want gitops.HealthCode, message string) told {
		return told{reason, "v1 Pod", "{spec: {" + spec + "}, status: {" + status + "}}", want, message}
	}
	hooked := pod("a hook ends, whatever it says of its policy", ends, "phase: Running", gitops.Progressing, "")
	hooked.fields = "{metadata: {annotations: {argocd.argoproj.io/hook: Sync, argocd.argoproj.io/ignore-restart-policy: 'true'}}, spec: {" + ends + "}, status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}}"
	forever := pod("one that says so counts as a server", ends, "", gitops.Healthy, "")
	forever.fields = strings.Replace(hooked.fields, "argocd.argoproj.io/hook: Sync, ", "", 1)
	tell(t, map[string]told{
		"Hook": hooked, "Forever": forever,
		"Stuck": pod("all containers that are stuck are told, before the phase", server,
			"phase: Pending, containerStatuses: [{state: {waiting: {reason: ErrImagePull, message: no image}}}, {state: {waiting: {reason: ContainerCreating, message: soon}}}, {state: {waiting: {reason: CrashLoopBackOff, message: again}}}]",
			gitops.Degraded, "no image, again"),
		"StuckEnds":  pod("one that ends may be stuck for a while: its policy gives up", ends, "phase: Pending, message: pulling, containerStatuses: [{state: {waiting: {reason: ErrImagePull, message: no image}}}]", gitops.Progressing, "pulling"),
		"Evicted":    pod("the pod's own message comes first", ends, "phase: Failed, message: evicted, containerStatuses: [{state: {terminated: {exitCode: 1}}}]", gitops.Degraded, "evicted"),
		"Init":       pod("then that of the first container that failed", ends, "phase: Failed, initContainerStatuses: [{name: a, state: {terminated: {exitCode: 3}}}], containerStatuses: [{state: {terminated: {message: m}}}]", gitops.Degraded, `container "a" failed with exit code 3`),
		"Memory":     pod("a lack of memory has a name instead of a code", ends, "phase: Failed, containerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}, {name: b, state: {terminated: {exitCode: 137, reason: OOMKilled}}}]", gitops.Degraded, "OOMKilled"),
		"NoReason":   pod("nobody may know why", ends, "phase: Failed", gitops.Degraded, ""),
		"Restarted":  pod("a server that is not ready and ended before is broken", server, "phase: Running, containerStatuses: [{lastState: {terminated: {exitCode: 1}}}]", gitops.Degraded, ""),
		"RestartsOK": pod("one that is ready again is not", server, "phase: Running, conditions: [{type: Ready, status: 'True'}], containerStatuses: [{lastState: {terminated: {exitCode: 1}}}]", gitops.Healthy, ""),
		"Starting":   pod("one that never ended is starting", server, "phase: Running, message: m, conditions: [{type: Ready, status: 'False'}]", gitops.Progressing, "m"),
		"Lost":       pod("what its node no longer tells is not known", server, "phase: Unknown, message: no word of the node", gitops.HealthUnknown, "no word of the node"),
	})
}

func TestRunsTellHowTheyEnd(t *testing.T) {
	const job, cron = "batch/v1 Job", "batch/v1 CronJob"
	tell(t, map[string]told{
		"Failed":        {"a failure counts, also beside a completion", job, "status: {conditions: [{type: Complete, status: 'True'}, {type: Failed, status: 'True', message: too often}]}", gitops.Degraded, "too often"},
		"Suspended":     {"a suspension is told", job, "status: {conditions: [{type: Suspended, status: 'True', message: by hand}]}", gitops.Suspended, "by hand"},
		"Running":       {"nothing is said of one that runs", job, "status: {active: 1}", gitops.Progressing, ""},
		"CronSuspended": {"one that is not to run is well", cron, "{spec: {suspend: true}}", gitops.Healthy, "CronJob is suspended"},
		"CronNever":     {"one that never ran has to", cron, "{spec: {suspend: false}}", gitops.Progressing, "Waiting for the first run"},
		"CronActive":    {"a run that goes on may be a good one", cron, "status: {lastScheduleTime: '2026-11-01T10:00:00Z', lastSuccessfulTime: '2026-10-01T10:00:00Z', active: [{name: a}]}", gitops.Healthy, "A run is active"},
		"CronFailed":    {"the last run counts", cron, "status: {lastScheduleTime: '2026-11-01T10:00:00Z', lastSuccessfulTime: '2026-10-01T10:00:00Z'}", gitops.Degraded, "The last run did not succeed"},
		"CronZones":     {"times are compared, not texts", cron, "status: {lastScheduleTime: '2026-11-01T10:00:00Z', lastSuccessfulTime: '2026-11-01T09:30:00-01:00'}", gitops.Healthy, "The last run succeeded"},
		"CronOdd":       {"what is no time is before nothing", cron, "status: {lastScheduleTime: soon, lastSuccessfulTime: '2026-10-01T10:00:00Z'}", gitops.Healthy, "The last run succeeded"},
	})
}

func TestOtherKindsTellWhatTheyWaitFor(t *testing.T) {
	const scaler, old, budget, service = "autoscaling/v2 HorizontalPodAutoscaler", "autoscaling/v1 HorizontalPodAutoscaler", "policy/v1 PodDisruptionBudget", "apiregistration.k8s.io/v1 APIService"
	annotated := func(text string) string {
		return "metadata: {annotations: {autoscaling.alpha.kubernetes.io/conditions: '" + text + "'}}"
	}
	tell(t, map[string]told{
		"Internal":    {"a service without a load balancer needs none", "v1 Service", "spec: {type: ClusterIP}", gitops.Healthy, ""},
		"Balancer":    {"one with a load balancer has an address", "v1 Service", "spec: {type: LoadBalancer}", gitops.Progressing, "Waiting for an address of the load balancer"},
		"Addressed":   {"an ingress has one, too", "networking.k8s.io/v1 Ingress", "status: {loadBalancer: {ingress: [{ip: 10.0.0.1}]}}", gitops.Healthy, ""},
		"Volume":      {"a claim waits for its volume", "v1 PersistentVolumeClaim", "status: {phase: Pending}", gitops.Progressing, "Waiting for a volume"},
		"LostVolume":  {"a volume that is gone is told", "v1 PersistentVolumeClaim", "status: {phase: Lost}", gitops.Degraded, "The volume is lost"},
		"NewVolume":   {"nothing is known of a claim that nobody looked at", "v1 PersistentVolumeClaim", "status: {}", gitops.HealthUnknown, ""},
		"NoMetric":    {"a metric that is not there comes before what is well", scaler, "status: {conditions: [{type: AbleToScale, status: 'True', message: well}, {type: ScalingActive, status: 'False', reason: FailedGetResourceMetric, message: no metric}]}", gitops.Degraded, "no metric"},
		"OtherReason": {"a reason counts for its own condition alone", scaler, "status: {conditions: [{type: AbleToScale, status: 'True', reason: FailedGetResourceMetric, message: well}]}", gitops.Healthy, "well"},
		"NewScaler":   {"it is waited for the first conditions", scaler, "status: {}", gitops.Progressing, "Waiting for the autoscaler"},
		"OldVersion":  {"the first version has them in an annotation", old, annotated(`[{"type":"ScalingLimited","status":"True","message":"limited"}]`), gitops.Healthy, "limited"},
		"OldNothing":  {"which may be absent", old, "status: {conditions: [{type: AbleToScale, status: 'True'}]}", gitops.Progressing, "Waiting for the autoscaler"},
		"Budget":      {"a budget waits to be processed", budget, "status: {}", gitops.Progressing, "Waiting for status"},
		"Budgeted":    {"that it allows nothing now is what it is for", budget, "status: {conditions: [{type: DisruptionAllowed, status: 'False', reason: InsufficientPods}]}", gitops.Healthy, "InsufficientPods"},
		"NoBudget":    {"any other reason is a mistake", budget, "status: {conditions: [{type: DisruptionAllowed, status: 'False', reason: SyncFailed, message: no scale}]}", gitops.Degraded, "SyncFailed: no scale"},
		"NewAPI":      {"an API waits to be processed", service, "status: {}", gitops.Progressing, "Waiting to be processed"},
		"NoAPI":       {"or to be there", service, "status: {conditions: [{type: Available, status: 'False', reason: MissingEndpoints, message: none}]}", gitops.Progressing, "MissingEndpoints: none"},
		"ACK":         {"the first condition that decides is the one", "s3.services.k8s.aws/v1 Bucket", "status: {conditions: [{type: ACK.Terminal, status: 'False'}, {type: Ready, status: 'False', message: soon}, {type: ACK.Terminal, status: 'True', message: never}]}", gitops.Progressing, "soon"},
		"ACKTerminal": {"an end that is no success is told", "s3.services.k8s.aws/v1 Bucket", "status: {conditions: [{type: ACK.Terminal, status: 'True', message: no right}]}", gitops.Degraded, "no right"},
		"ACKNew":      {"of a new one nothing is said", "s3.services.k8s.aws/v1 Bucket", "status: {}", gitops.Progressing, "Waiting for the resource to be ready"},
		"Workflow":    {"a workflow that ended in an error", "argoproj.io/v1alpha1 Workflow", "status: {phase: Error, message: m}", gitops.Degraded, "m"},
		"OddWorkflow": {"one in a phase that there is not", "argoproj.io/v1alpha1 Workflow", "status: {phase: Skipped, message: m}", gitops.HealthUnknown, "m"},
	})
}

func TestDefinitionsTellWhatTheyWaitFor(t *testing.T) {
	definition := func(reason, conditions string, want gitops.HealthCode, message string) told {
		return told{reason, "apiextensions.k8s.io/v1 CustomResourceDefinition", "status: {conditions: [" + conditions + "]}", want, message}
	}
	const established = "{type: Established, status: 'True'}"
	tell(t, map[string]told{
		"Going":       definition("a deletion comes first", established+", {type: Terminating, status: 'True', message: m}", gitops.Progressing, "The definition is being deleted: m"),
		"Names":       definition("names that another one has", established+", {type: NamesAccepted, status: 'False', message: m}", gitops.Degraded, "Its names are not accepted: m"),
		"Schema":      definition("a schema that is none", established+", {type: NonStructuralSchema, status: 'True', message: m}", gitops.Degraded, "Its schema is not structural: m"),
		"Installing":  definition("an API server takes a while", "{type: Established, status: 'False', reason: Installing}", gitops.Progressing, "Waiting to be established"),
		"Refused":     definition("or does not take it", "{type: Established, status: 'False', reason: NotAccepted, message: m}", gitops.Degraded, "It is not established: m"),
		"Established": definition("until it serves it", established, gitops.Healthy, "The definition is established"),
	})
}

func TestSetsOfApplicationsTellWhatTheyWaitFor(t *testing.T) {
	set := func(reason, conditions string, want gitops.HealthCode, message string) told {
		return told{reason, "argoproj.io/v1alpha1 ApplicationSet", "status: {conditions: [" + conditions + "]}", want, message}
	}
	const current = "{type: ResourcesUpToDate, status: 'True', message: all}"
	tell(t, map[string]told{
		"Error":   set("an error comes first", current+", {type: ErrorOccurred, status: 'True', message: no generator}", gitops.Degraded, "no generator"),
		"NoError": set("that there was none is no error", current+", {type: ErrorOccurred, status: 'False', message: fine}", gitops.Healthy, "all"),
		"Old":     set("Applications that could not be written", "{type: RolloutProgressing, status: 'True', message: r}, {type: ResourcesUpToDate, status: 'False', message: refused}", gitops.Degraded, "refused"),
		"Rollout": set("a roll-out holds a gate", current+", {type: RolloutProgressing, status: 'True', message: step 1}", gitops.Progressing, "step 1"),
		"New":     set("one that nobody looked at", "", gitops.Progressing, "Waiting for its applications to be generated"),
	})
}

func TestApplicationsTellWhatTheyWaitFor(t *testing.T) {
	_, fields, _ := strings.Cut(childSpec, "kind: Application\n")
	child := func(reason, status, message string) told {
		return told{reason, "argoproj.io/v1alpha1 Application", fields + status, gitops.Progressing, message}
	}
	const synced = "  health: {status: Healthy}\n  sync:\n    status: Synced" + comparedTo
	const due = "  health: {status: Healthy}\n  sync:\n    status: OutOfSync\n    revision: r2" + comparedTo
	manual := child("one that is synced by hand is due at no time", "status:\n"+due, "")
	manual.fields, manual.want = strings.Replace(manual.fields, "automated: {}", "automated: {enabled: false}", 1), gitops.Healthy
	tell(t, map[string]told{
		"Manual":   manual,
		"New":      child("a comparison comes first", "", "Waiting for the first comparison"),
		"Running":  child("a sync tells itself what it does", "status:\n  operationState: {phase: Terminating, message: applying 3}\n"+synced, "applying 3"),
		"Silent":   child("or nothing", "status:\n  operationState: {phase: Running}\n"+synced, "A sync is running"),
		"Asked":    child("a sync that did not begin", "operation: {sync: {}}\nstatus:\n"+synced, "A sync was asked for"),
		"OldSpec":  child("a comparison with another destination", "status:\n"+strings.Replace(synced, "namespace: a", "namespace: b", 1), "Waiting for a comparison with the newest spec"),
		"Due":      child("a revision that was not tried", "status:\n  operationState: {phase: Succeeded, finishedAt: x, syncResult: {revision: r1}}\n"+due, "Waiting for an automated sync"),
		"DueAll":   child("of several sources each counts", "status:\n  operationState: {phase: Succeeded, finishedAt: x, syncResult: {revisions: [a, b]}}\n"+strings.Replace(due, "revision: r2", "revisions: [a, c]", 1), "Waiting for an automated sync"),
		"NoHealth": child("a health that was not found yet", "status:\n"+strings.Replace(synced, "{status: Healthy}", "{}", 1), "Waiting for health"),
	})
}

func TestClustersTellWhatTheyWaitFor(t *testing.T) {
	cluster := func(reason, fields string, want gitops.HealthCode, message string) told {
		return told{reason, "causeway.io/v1alpha1 Cluster", fields, want, message}
	}
	tell(t, map[string]told{
		"New":     cluster("one that nobody saw", "{metadata: {generation: 1}, status: {phase: Ready}}", gitops.Progressing, "Waiting for the engine to see the newest spec"),
		"Old":     cluster("a status of an older spec", "{metadata: {generation: 2}, status: {observedGeneration: 1, phase: Ready, conditions: [{type: Ready, status: 'True'}]}}", gitops.Progressing, "Waiting for the engine to see the newest spec"),
		"Ready":   cluster("one that answers tells its version", "{metadata: {generation: 1}, status: {observedGeneration: 1, phase: Ready, version: v1.34.0, conditions: [{type: Ready, status: 'True'}]}}", gitops.Healthy, "v1.34.0"),
		"Away":    cluster("one that answered before does no longer", "{metadata: {generation: 1}, status: {observedGeneration: 1, phase: Ready, conditions: [{type: Ready, status: 'False', message: no route}]}}", gitops.Progressing, "no route"),
		"Failed":  cluster("one that could not be made", "{metadata: {generation: 1}, status: {observedGeneration: 1, phase: Failed, conditions: [{type: Ready, status: 'False', message: no quota}]}}", gitops.Degraded, "no quota"),
		"Pending": cluster("one that is made", "{metadata: {generation: 1}, status: {observedGeneration: 1, phase: Creating}}", gitops.Progressing, "Waiting for the cluster"),
	})
}
