package kwok

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kwok/pkg/apis/internalversion"
	"sigs.k8s.io/kwok/pkg/utils/lifecycle"
)

var podRef = internalversion.StageResourceRef{APIGroup: "v1", Kind: "Pod"}

func pod(policy corev1.RestartPolicy, phase corev1.PodPhase, annotations map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Annotations: annotations},
		Spec:       corev1.PodSpec{RestartPolicy: policy},
		Status:     corev1.PodStatus{Phase: phase},
	}
}

// marked is a pod that the node controller has marked as not ready.
func marked(containers corev1.ConditionStatus) *corev1.Pod {
	p := pod(corev1.RestartPolicyAlways, corev1.PodRunning, nil)
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}, {Type: corev1.ContainersReady, Status: containers}}
	return p
}

func TestPodStages(t *testing.T) {
	group, err := stages()
	if err != nil {
		t.Fatal(err)
	}
	lives, err := lifecycle.NewLifecycle(group[podRef])
	if err != nil {
		t.Fatal(err)
	}
	going := pod(corev1.RestartPolicyAlways, corev1.PodRunning, nil)
	going.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	gated := marked("True")
	gated.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "open"}}
	open := gated.DeepCopy()
	open.Status.Conditions = append(open.Status.Conditions, corev1.PodCondition{Type: "open", Status: corev1.ConditionTrue})
	leaving := marked("True")
	leaving.DeletionTimestamp = going.DeletionTimestamp
	tests := map[string]struct {
		reason string
		pod    *corev1.Pod
		want   string // no stage: the pod stays as it is
		delay  time.Duration
	}{
		"New": {
			reason: "a pod is ready at once",
			pod:    pod(corev1.RestartPolicyAlways, corev1.PodPending, nil), want: "pod-ready",
		},
		"Up": {
			reason: "a pod that has to stay up stays up",
			pod:    pod(corev1.RestartPolicyAlways, corev1.PodRunning, nil),
		},
		"Delayed": {
			reason: "the time is taken from the annotation",
			pod:    pod(corev1.RestartPolicyAlways, corev1.PodPending, map[string]string{prefix + readyAfter: "5s"}), want: "pod-ready", delay: 5 * time.Second,
		},
		"NoDuration": {
			reason: "what is no duration delays nothing",
			pod:    pod(corev1.RestartPolicyAlways, corev1.PodPending, map[string]string{prefix + readyAfter: "soon"}), want: "pod-ready",
		},
		"NeverReady": {
			reason: "the one stage for it must not compete with the usual one",
			pod:    pod(corev1.RestartPolicyAlways, corev1.PodPending, map[string]string{prefix + neverReady: "true"}), want: "never-ready",
		},
		"NeverReadyJob": {
			reason: "a job that hangs does not complete",
			pod:    pod(corev1.RestartPolicyNever, corev1.PodRunning, map[string]string{prefix + neverReady: "true"}),
		},
		"Crash": {
			reason: "a pod that has to stay up crashes in a loop",
			pod:    pod(corev1.RestartPolicyAlways, corev1.PodPending, map[string]string{prefix + fail: "true"}), want: "fail-service",
		},
		"FailBeatsNeverReady": {
			reason: "two wishes give one stage, not a random one",
			pod:    pod(corev1.RestartPolicyAlways, corev1.PodPending, map[string]string{prefix + fail: "true", prefix + neverReady: "true"}), want: "fail-service",
		},
		"FailedRun": {
			reason: "a pod of a job fails",
			pod:    pod(corev1.RestartPolicyNever, corev1.PodPending, map[string]string{prefix + fail: "true", prefix + completeAfter: "1m"}), want: "fail-run", delay: time.Minute,
		},
		"FormerNames": {
			reason: "the names of before there was one domain count as well",
			pod:    pod(corev1.RestartPolicyNever, corev1.PodPending, map[string]string{formerPrefix + fail: "true", formerPrefix + completeAfter: "1m"}), want: "fail-run", delay: time.Minute,
		},
		"FormerDelay": {
			reason: "so in the stages that are kwok's own",
			pod:    pod(corev1.RestartPolicyAlways, corev1.PodPending, map[string]string{formerPrefix + readyAfter: "5s"}), want: "pod-ready", delay: 5 * time.Second,
		},
		"FormerNeverReady": {
			reason: "and they take part in who goes first",
			pod:    pod(corev1.RestartPolicyAlways, corev1.PodPending, map[string]string{formerPrefix + neverReady: "true"}), want: "never-ready",
		},
		"BothNames": {
			reason: "the name of now goes first",
			pod:    pod(corev1.RestartPolicyAlways, corev1.PodPending, map[string]string{prefix + readyAfter: "5s", formerPrefix + readyAfter: "1m"}), want: "pod-ready", delay: 5 * time.Second,
		},
		"Complete": {
			reason: "a run to completion ends, job or not",
			pod:    pod(corev1.RestartPolicyOnFailure, corev1.PodRunning, nil), want: "pod-complete",
		},
		"CompleteLater": {
			reason: "the time is taken from the annotation",
			pod:    pod(corev1.RestartPolicyNever, corev1.PodRunning, map[string]string{prefix + completeAfter: "5s"}), want: "pod-complete", delay: 5 * time.Second,
		},
		"ReadyAgain": {
			reason: "what the node controller wrote of a node that was away is put right",
			pod:    marked("True"), want: "ready-again",
		},
		"ContainersNotReady": {
			reason: "a pod whose containers are not ready is not ready",
			pod:    marked("False"),
		},
		"GateShut":    {reason: "its readiness gate is not open", pod: gated},
		"GateOpen":    {reason: "its readiness gate is open", pod: open, want: "ready-again"},
		"LeavesStale": {reason: "a pod that is to go is not made ready", pod: leaving, want: "pod-delete"},
		"Deleted":     {reason: "a pod that is to go goes", pod: going, want: "pod-delete"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			event := &lifecycle.Event{Annotations: tc.pod.Annotations, Data: tc.pod}
			possible, err := lives.ListAllPossible(t.Context(), event)
			if err != nil {
				t.Fatal(err)
			}
			if tc.want == "" {
				if len(possible) != 0 {
					t.Errorf("%s: got stage %s", tc.reason, possible[0].Name())
				}
				return
			}
			if len(possible) != 1 || possible[0].Name() != tc.want {
				t.Fatalf("%s: got %d stages, want %s alone", tc.reason, len(possible), tc.want)
			}
			delay, _, err := possible[0].Delay(t.Context(), event, time.Now())
			if err != nil || delay != tc.delay {
				t.Errorf("%s: delayed by %s, want %s (%v)", tc.reason, delay, tc.delay, err)
			}
		})
	}
}

func TestStagesOfOtherKinds(t *testing.T) {
	group, err := stages()
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[internalversion.StageResourceRef]int{
		{APIGroup: "v1", Kind: "Node"}:                      2,
		{APIGroup: "v1", Kind: "PersistentVolumeClaim"}:     1,
		{APIGroup: "v1", Kind: "PersistentVolume"}:          1,
		{APIGroup: "v1", Kind: "Service"}:                   1,
		{APIGroup: "networking.k8s.io/v1", Kind: "Ingress"}: 1,
	} {
		if got := len(group[ref]); got != want {
			t.Errorf("%s has %d stages, want %d", ref.Kind, got, want)
		}
	}
}
