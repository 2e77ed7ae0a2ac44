package hub

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

func workload(name string, labels, annotations map[string]string, containers ...corev1.Container) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name, Labels: labels, Annotations: annotations}}
	d.Spec.Template.Spec.Containers = containers
	return d
}

func TestArgoWorkloads(t *testing.T) {
	zero := int32(0)
	sets := workload("argocd-applicationset-controller", nil, nil, corev1.Container{
		Image: "quay.io/argoproj/argocd:v3.1.0@sha256:1",
		Args:  []string{"--policy", "create-only"},
	})
	sets.Spec.Replicas = &zero
	repo := workload("argocd-repo-server", map[string]string{gitops.LabelInstance: "label"}, map[string]string{gitops.AnnotationTracking: "argo:apps/Deployment:argocd/argocd-repo-server"},
		corev1.Container{Image: "quay.io/argoproj/argocd@sha256:1"}, corev1.Container{Name: "cue", Command: []string{"/var/run/argocd/argocd-cmp-server"}})
	controllers := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "main", Labels: map[string]string{
		"app.kubernetes.io/part-of": "argocd", "app.kubernetes.io/component": takeover.ApplicationController,
	}}}
	elsewhere := workload("argocd-server", nil, nil)
	elsewhere.Namespace = "other"
	clients := fake.NewClientset(sets, repo, controllers, elsewhere, workload("web", nil, nil), workload("causeway", map[string]string{"app.kubernetes.io/name": "causeway"}, nil))

	got, err := ArgoWorkloads(t.Context(), clients, "argocd")
	if err != nil {
		t.Fatal(err)
	}
	want := []takeover.Workload{
		{Kind: "StatefulSet", Name: "main", Component: takeover.ApplicationController, Replicas: 1},
		{
			Kind: "Deployment", Name: "argocd-applicationset-controller", Component: takeover.ApplicationSetController, Version: "v3.1.0",
			Restraint: takeover.Restraint{Policy: "create-only", From: "an argument of its container"},
		},
		{Kind: "Deployment", Name: "argocd-repo-server", Component: takeover.RepoServer, Replicas: 1, Owner: "argo", Plugins: []string{"cue"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Argo CD's (-want +got):\n%s", diff)
	}
	own, err := EngineDeployments(t.Context(), clients, "argocd")
	if diff := cmp.Diff([]string{"causeway"}, own); err != nil || diff != "" {
		t.Errorf("the engine's: %v (-want +got):\n%s", err, diff)
	}
}

// TestRestraintOfVariables: what a ConfigMap gives to a variable is read there, and
// not here.
func TestRestraintOfVariables(t *testing.T) {
	name := "ARGOCD_APPLICATIONSET_CONTROLLER_POLICY"
	cases := map[string]struct {
		reason string
		env    corev1.EnvVar
		want   string
	}{
		"Written": {"the container says it itself", corev1.EnvVar{Name: name, Value: "sync"}, "sync"},
		"Mapped":  {"a ConfigMap says it", corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{}}}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := restraintOf(&corev1.Container{Env: []corev1.EnvVar{tc.env}}).Policy; got != tc.want {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
