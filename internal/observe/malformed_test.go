package observe

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestMalformedObjectsAreNamed: whoever writes objects may write anything where a number belongs. Nothing is known of
// such an object, which is told with the field.
func TestMalformedObjectsAreNamed(t *testing.T) {
	cases := map[string]struct{ reason, text, want string }{
		"Text":     {"a text where a number belongs", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: many}}", "cannot assess apps/Deployment:shop/web: field .spec.replicas is string where a whole number belongs"},
		"Fraction": {"half a replica", "{apiVersion: apps/v1, kind: ReplicaSet, spec: {replicas: 1.5}}", "field .spec.replicas is float64 where a whole number belongs"},
		"List":     {"a list where fields belong names what is above", "{apiVersion: apps/v1, kind: Deployment, spec: []}", "field .spec is []interface {} where a map belongs"},
		"Flag":     {"a text where a flag belongs", "{apiVersion: apps/v1, kind: Deployment, spec: {paused: 'yes'}}", "field .spec.paused is string where true or false belongs"},
		"Items":    {"fields where a list belongs", "{apiVersion: v1, kind: Service, spec: {ports: {a: 1}}}", "field .spec.ports is map[string]interface {} where a list belongs"},
		"Phase":    {"a number where a text belongs", "{apiVersion: v1, kind: Pod, status: {phase: 1}}", "field .status.phase is int64 where a text belongs"},
		"First":    {"the first of several is told", "{apiVersion: apps/v1, kind: Deployment, spec: {replicas: a, paused: b}}", "field .spec.replicas is"},
		"Version":  {"a version that the check was not written for", "{apiVersion: apps/v1beta1, kind: Deployment}", "no health check for version v1beta1 of Deployment"},
		"JSON":     {"conditions in an annotation that is none of them", "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {annotations: {autoscaling.alpha.kubernetes.io/conditions: '{'}}}", "cannot read annotation autoscaling.alpha.kubernetes.io/conditions"},
		"Bare":     {"a definition that no API server answered with", "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}", "it has no status"},
		"Cluster":  {"a Cluster with a phase that is no text", "{apiVersion: causeway.io/v1alpha1, kind: Cluster, status: {phase: []}}", "field .status.phase is []interface {} where a text belongs"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h, err := New().Health("", object(t, tc.text))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v; want %q", tc.reason, err, tc.want)
			}
			if err != nil && (h.Code != gitops.HealthUnknown || h.Message != err.Error()) {
				t.Errorf("%s: the object is %+v; want what the error says", tc.reason, h)
			}
		})
	}
}

// TestWholeNumbersOfEitherForm: API servers answer with 2, and what was computed may be 2.0.
func TestWholeNumbersOfEitherForm(t *testing.T) {
	o := object(t, "{apiVersion: apps/v1, kind: ReplicaSet, spec: {replicas: 2}, status: {availableReplicas: 2}}")
	set(o, 2.0, "spec", "replicas")
	if h, err := New().Health("", o); err != nil || h.Code != gitops.Healthy {
		t.Errorf("got %+v, %v", h, err)
	}
}

// TestConditionsThatAreNone: a list with something else in it has the conditions that it has.
func TestConditionsThatAreNone(t *testing.T) {
	o := object(t, `{apiVersion: v1, kind: Pod, spec: {restartPolicy: Always}, status: {phase: Running, conditions: [Ready, null, {type: 1}, {type: Ready, status: "True"}], containerStatuses: [none, {state: running}]}}`)
	if h, err := New().Health("", o); err != nil || h.Code != gitops.Healthy {
		t.Errorf("got %+v, %v", h, err)
	}
}

// TestDeletionIsPending says how an object that goes is told of: it has no other health any more, but for a hook that
// only waits until its sync has seen how it ended.
func TestDeletionIsPending(t *testing.T) {
	cases := map[string]struct {
		reason, finalizers string
		want               gitops.Health
	}{
		"Plain": {"it goes, whatever its status says", "[]", gitops.Health{Code: gitops.Progressing, Message: "Pending deletion"}},
		"Other": {"or waits for somebody", "[example.com/wait]", gitops.Health{Code: gitops.Progressing, Message: "Pending deletion"}},
		"Hook":  {"a finished hook has how it ended", "[example.com/wait, " + hookFinalizer + "]", gitops.Health{Code: gitops.Healthy, Message: "done"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := object(t, "{apiVersion: batch/v1, kind: Job, metadata: {deletionTimestamp: '2026-11-01T10:00:00Z', finalizers: "+tc.finalizers+"}, status: {conditions: [{type: Complete, status: 'True', message: done}]}}")
			if h, err := New().Health("", o); err != nil || h != tc.want {
				t.Errorf("%s: got %+v, %v; want %+v", tc.reason, h, err, tc.want)
			}
		})
	}
	// Also one of a kind that has no check.
	o := object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {deletionTimestamp: '2026-11-01T10:00:00Z'}}")
	if h, _ := New().Health("", o); h.Code != gitops.Progressing {
		t.Errorf("a ConfigMap that goes is %+v", h)
	}
}

// TestMessagesAreCut: who writes a status writes as much as there is room for.
func TestMessagesAreCut(t *testing.T) {
	long := strings.Repeat("é", maxMessage)
	for name, o := range map[string]*unstructured.Unstructured{
		"health": object(t, "{apiVersion: v1, kind: Pod, status: {phase: Pending, message: "+long+"}}"),
		"error":  object(t, "{apiVersion: apps/"+long+", kind: Deployment}"),
	} {
		h, _ := New().Health("", o)
		if len(h.Message) == 0 || len(h.Message) > maxMessage+len("…") || strings.ContainsRune(h.Message, '\uFFFD') {
			t.Errorf("the %s has a message of %d bytes: %.40q", name, len(h.Message), h.Message)
		}
	}
}
