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

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
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

// TestOutlined: what is cached of a pod uses the same Secrets.
func TestOutlined(t *testing.T) {
	for _, text := range []string{everything, "imagePullSecrets: [{name: pull}, {name: ''}]", "{}"} {
		pod := podOf(t, text)
		want := slices.Sorted(maps.Keys(usage.Of(&pod, nil)))
		pod = outlined(pod)
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(usage.Of(&pod, nil)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestWhatIsCached: what says which Secrets are used, when, in which order and how it goes, and no values of environments.
func TestWhatIsCached(t *testing.T) {
	meta := metav1.ObjectMeta{
		Namespace: "ns", Name: "n", UID: "u", Generation: 3, Labels: map[string]string{gitops.LabelInstance: "shop", "team": "hunter22"},
		Annotations:   map[string]string{gitops.AnnotationWave: "2", esv1.AnnotationRestart: "true", corev1.LastAppliedConfigAnnotation: "hunter22"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "hunter22"}},
	}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{annotationMark: "2026-03-04T05:06:07Z", "other": "hunter22"}}, Spec: podOf(t, everything)}
	for _, object := range []any{
		&appsv1.Deployment{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.DeploymentSpec{Template: *template.DeepCopy(), Paused: true}, Status: appsv1.DeploymentStatus{Replicas: 3}},
		&appsv1.StatefulSet{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.StatefulSetSpec{Template: *template.DeepCopy()}, Status: appsv1.StatefulSetStatus{Replicas: 3}},
		&appsv1.DaemonSet{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.DaemonSetSpec{Template: *template.DeepCopy()}, Status: appsv1.DaemonSetStatus{NumberReady: 3}},
	} {
		got, err := Transform(object)
		text, _ := yaml.Marshal(got)
		if err != nil || strings.Contains(string(text), "hunter22") || !strings.Contains(string(text), "uid: u") {
			t.Errorf("%v:\n%s", err, text)
		}
		if one, ok := got.(*appsv1.Deployment); ok {
			w := workloadOf(one)
			if w.wave() != 2 || w.app() != "shop" || w.marked(after(0).AddDate(1, 0, 0)).IsZero() || !w.paused || one.Status.Replicas != 3 || one.Generation != 3 {
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
