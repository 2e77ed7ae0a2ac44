package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// LeaseName is the Lease that an engine which leads renews. It has the former domain:
// engines of two versions have to ask for the same one.
const LeaseName = "causeway.dev"

// EngineDeployments are those of the chart in a namespace, by name.
func EngineDeployments(ctx context.Context, clients kubernetes.Interface, namespace string) ([]string, error) {
	list, err := clients.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=causeway"})
	if err != nil {
		return nil, fmt.Errorf("cannot list the Deployments of namespace %s: %w", namespace, err)
	}
	var out []string
	for i := range list.Items {
		out = append(out, list.Items[i].Name)
	}
	return out, nil
}

// ArgoWorkloads lists the Deployments and StatefulSets that are Argo CD's.
func ArgoWorkloads(ctx context.Context, clients kubernetes.Interface, namespace string) ([]takeover.Workload, error) {
	deployments, err := clients.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("cannot list the Deployments of namespace %s: %w", namespace, err)
	}
	sets, err := clients.AppsV1().StatefulSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("cannot list the StatefulSets of namespace %s: %w", namespace, err)
	}
	var out []takeover.Workload
	for j := range sets.Items {
		s := &sets.Items[j]
		out = append(out, argoWorkload("StatefulSet", &s.ObjectMeta, s.Spec.Replicas, &s.Spec.Template.Spec))
	}
	for j := range deployments.Items {
		d := &deployments.Items[j]
		out = append(out, argoWorkload("Deployment", &d.ObjectMeta, d.Spec.Replicas, &d.Spec.Template.Spec))
	}
	return slices.DeleteFunc(out, func(w takeover.Workload) bool { return w.Component == "" }), nil
}

// argoWorkload has no component when it is not Argo CD's.
func argoWorkload(kind string, m *metav1.ObjectMeta, replicas *int32, pod *corev1.PodSpec) takeover.Workload {
	w := takeover.Workload{Kind: kind, Name: m.Name, Component: takeover.ComponentOf(m.Name, m.Labels), Replicas: 1}
	// Where objects are marked by label, that names the application.
	w.Owner = m.Labels[gitops.LabelInstance]
	if owner, _, ok := gitops.ParseTrackingID(m.Annotations[gitops.AnnotationTracking]); ok {
		w.Owner = owner
	}
	if replicas != nil {
		w.Replicas = *replicas
	}
	if len(pod.Containers) > 0 {
		w.Version = takeover.VersionOf(pod.Containers[0].Image)
	}
	if w.Component == takeover.ApplicationSetController && len(pod.Containers) > 0 {
		w.Restraint = restraintOf(&pod.Containers[0])
	}
	for _, c := range pod.Containers {
		if strings.Contains(strings.Join(slices.Concat(c.Command, c.Args), " "), "argocd-cmp-server") {
			w.Plugins = append(w.Plugins, c.Name)
		}
	}
	return w
}

// restraintOf reads what a container is started with. Variables that come out of
// a ConfigMap are read there.
func restraintOf(c *corev1.Container) takeover.Restraint {
	variables := map[string]string{}
	for _, v := range c.Env {
		if v.ValueFrom == nil {
			variables[v.Name] = v.Value
		}
	}
	return takeover.RestraintOf(slices.Concat(c.Command, c.Args), variables)
}

// Facts are what charts may ask of the hub.
func Facts(clients kubernetes.Interface) (gitops.Facts, error) {
	version, err := clients.Discovery().ServerVersion()
	if err != nil {
		return gitops.Facts{}, fmt.Errorf("cannot ask the cluster for its version: %w", err)
	}
	return gitops.Facts{KubeVersion: strings.TrimPrefix(version.GitVersion, "v")}, nil
}
