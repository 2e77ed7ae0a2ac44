package secretrotation

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const everything = `
serviceAccountName: app
initContainers:
- {name: i, envFrom: [{secretRef: {name: init}}, {configMapRef: {name: none}}], env: [{name: A, valueFrom: {configMapKeyRef: {name: none, key: k}}}]}
containers:
- {name: c, env: [{name: A, value: hunter22}, {name: B, valueFrom: {secretKeyRef: {name: env, key: k}}}, {name: C, valueFrom: {fieldRef: {fieldPath: no}}}]}
- {name: d, envFrom: [{secretRef: {name: from}}]}
ephemeralContainers:
- {name: e, envFrom: [{secretRef: {name: debug}}]}
volumes:
- {name: a, secret: {secretName: volume}}
- {name: b, projected: {sources: [{secret: {name: projected}}, {configMap: {name: none}}]}}
- {name: c, csi: {driver: d, nodePublishSecretRef: {name: driver}}}
- {name: d, csi: {driver: d}}
- {name: e, configMap: {name: none}}
- {name: f, secret: {}}
`

func podOf(t *testing.T, text string) corev1.PodSpec {
	t.Helper()
	var pod corev1.PodSpec
	if err := yaml.UnmarshalStrict([]byte(text), &pod); err != nil {
		t.Fatal(err)
	}
	return pod
}

func TestUses(t *testing.T) {
	account := &corev1.ServiceAccount{ImagePullSecrets: []corev1.LocalObjectReference{{Name: "of-account"}}, Secrets: []corev1.ObjectReference{{Name: "token"}}}
	named := []string{"debug", "driver", "env", "from", "init", "projected", "volume"}
	for name, tc := range map[string]struct {
		reason, pod string
		account     *corev1.ServiceAccount
		want        []string
	}{
		"everything": {"each way to use a Secret", everything, &corev1.ServiceAccount{}, named},
		"account":    {"images are pulled with those of the service account", everything, account, append([]string{"of-account"}, named...)},
		"own":        {"unless the pod names some", "imagePullSecrets: [{name: pull}, {name: ''}]", account, []string{"pull"}},
		"nothing":    {"a pod that uses none", "{}", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			pod := podOf(t, tc.pod)
			got := slices.Sorted(maps.Keys(uses(&pod, tc.account)))
			want := slices.Sorted(slices.Values(tc.want))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			pod = outlined(pod)
			if diff := cmp.Diff(want, slices.Sorted(maps.Keys(uses(&pod, tc.account)))); diff != "" {
				t.Errorf("as it is cached: %s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWhatIsCached: what says which Secrets are used, when, in which order and how it goes, and no values of environments.
func TestWhatIsCached(t *testing.T) {
	meta := metav1.ObjectMeta{
		Namespace: "ns", Name: "n", UID: "u", Generation: 3, Labels: map[string]string{gitops.LabelInstance: "shop", "team": "hunter22"},
		Annotations:   map[string]string{gitops.AnnotationWave: "2", AnnotationRestart: "true", corev1.LastAppliedConfigAnnotation: "hunter22"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "hunter22"}},
	}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{annotationMark: "2026-03-04T05:06:07Z", "other": "hunter22"}}, Spec: podOf(t, everything)}
	for _, object := range []any{
		&appsv1.Deployment{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.DeploymentSpec{Template: *template.DeepCopy(), Paused: true}, Status: appsv1.DeploymentStatus{Replicas: 3}},
		&appsv1.StatefulSet{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.StatefulSetSpec{Template: *template.DeepCopy()}, Status: appsv1.StatefulSetStatus{Replicas: 3}},
		&appsv1.DaemonSet{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.DaemonSetSpec{Template: *template.DeepCopy()}, Status: appsv1.DaemonSetStatus{NumberReady: 3}},
		&corev1.ServiceAccount{ObjectMeta: *meta.DeepCopy(), Secrets: []corev1.ObjectReference{{Name: "hunter22"}}},
	} {
		got, err := Transform(object)
		text, _ := yaml.Marshal(got)
		if err != nil || strings.Contains(string(text), "hunter22") || !strings.Contains(string(text), "uid: u") {
			t.Errorf("%v:\n%s", err, text)
		}
		if one, ok := got.(*appsv1.Deployment); ok {
			w := workloadOf(one)
			if w.wave() != 2 || w.app() != "shop" || w.mark().IsZero() || !w.paused || w.account() != "app" || one.Status.Replicas != 3 || one.Generation != 3 {
				t.Errorf("something is missing:\n%s", text)
			}
		}
	}
	for _, other := range []any{&corev1.Pod{}, "deleted"} {
		if got, err := Transform(other); err != nil || got != other {
			t.Errorf("%v, %v", got, err)
		}
	}
}
