package provider_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

const (
	argoRepo = "https://git.example.com/team/fleet"
	argoApp  = "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {color: blue}}\n"
)

// argoFleet is an Argo CD in a namespace, with one application that syncs by
// itself and is synced.
type argoFleet struct {
	t                            *testing.T
	namespace, workloads, folder string
}

func newArgoFleet(t *testing.T, namespace string) *argoFleet {
	t.Helper()
	f := &argoFleet{t: t, namespace: namespace, workloads: embeddedtest.Namespace(t, hub), folder: t.TempDir()}
	for _, name := range []string{"argocd-application-controller", "argocd-applicationset-controller", "argocd-server"} {
		f.workload(name)
	}
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "argocd-cm", Namespace: namespace}, Data: map[string]string{"url": "https://cd.example.com"}}
	if _, err := client(t).CoreV1().ConfigMaps(namespace).Create(t.Context(), settings, metav1.CreateOptions{FieldManager: "helm"}); err != nil {
		t.Fatal(err)
	}
	f.write("web/cm.yaml", argoApp)
	t.Cleanup(func() { // it is tracked by a name that other fleets have as well
		ctx := context.WithoutCancel(t.Context())
		if err := client(t).CoreV1().ConfigMaps(f.workloads).Delete(ctx, "web", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	f.apply(strings.NewReplacer("metadata: {name: web}", "metadata: {name: web, namespace: "+f.workloads+", annotations: {argocd.argoproj.io/tracking-id: 'web:/ConfigMap:"+f.workloads+"/web'}}").Replace(argoApp))
	f.apply(`
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: default, namespace: ` + namespace + `}
spec: {sourceRepos: ['*'], destinations: [{server: '*', namespace: '*'}]}
`)
	f.apply(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: ` + namespace + `}
spec:
  project: default
  source: {repoURL: ` + argoRepo + `, path: web, targetRevision: HEAD}
  destination: {server: https://kubernetes.default.svc, namespace: ` + f.workloads + `}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
status:
  sync:
    status: Synced
    revision: 5b1cf0de2a3e4f708192a3b4c5d6e7f801234567
    comparedTo: {source: {repoURL: ` + argoRepo + `, path: web, targetRevision: HEAD}, destination: {server: https://kubernetes.default.svc, namespace: ` + f.workloads + `}}
  health: {status: Healthy}
  resources: [{version: v1, kind: ConfigMap, namespace: ` + f.workloads + `, name: web, status: Synced}]
`)
	return f
}

// workload is a controller of Argo CD, or its server.
func (f *argoFleet) workload(name string) {
	f.t.Helper()
	labels := map[string]string{"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "argocd", "app.kubernetes.io/component": strings.TrimPrefix(name, "argocd-")}
	meta := metav1.ObjectMeta{Name: name, Namespace: f.namespace, Labels: labels}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: name, Image: "quay.io/argoproj/argocd:v3.1.0"}}}}
	var err error
	if name == "argocd-application-controller" {
		_, err = client(f.t).AppsV1().StatefulSets(f.namespace).Create(f.t.Context(), &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: selector, Template: template}}, metav1.CreateOptions{})
	} else {
		_, err = client(f.t).AppsV1().Deployments(f.namespace).Create(f.t.Context(), &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Selector: selector, Template: template}}, metav1.CreateOptions{})
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *argoFleet) write(name, content string) {
	f.t.Helper()
	path := filepath.Join(f.folder, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		f.t.Fatal(err)
	}
}

// apply writes an object in Argo CD's name.
func (f *argoFleet) apply(text string) {
	f.t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		f.t.Fatal(err)
	}
	c, err := dynamic.NewForConfig(hub)
	if err != nil {
		f.t.Fatal(err)
	}
	at := o.GroupVersionKind().GroupVersion().WithResource(strings.ToLower(o.GetKind()) + "s")
	embeddedtest.Eventually(f.t, func(ctx context.Context) error { // its definition may be new
		_, err := c.Resource(at).Namespace(o.GetNamespace()).Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: "argocd-controller"})
		return err
	})
}

// at checks the replicas of Argo CD's controllers, and that its server runs.
func (f *argoFleet) at(want int32, when string) {
	f.t.Helper()
	set, err := client(f.t).AppsV1().StatefulSets(f.namespace).Get(f.t.Context(), "argocd-application-controller", metav1.GetOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	if *set.Spec.Replicas != want {
		f.t.Errorf("%s: the application-controller has %d replicas, want %d", when, *set.Spec.Replicas, want)
	}
	for name, replicas := range map[string]int32{"argocd-applicationset-controller": want, "argocd-server": 1} {
		d, err := client(f.t).AppsV1().Deployments(f.namespace).Get(f.t.Context(), name, metav1.GetOptions{})
		if err != nil {
			f.t.Fatal(err)
		}
		if *d.Spec.Replicas != replicas {
			f.t.Errorf("%s: %s has %d replicas, want %d", when, name, *d.Spec.Replicas, replicas)
		}
	}
}

// cutOff leaves Argo CD as a takeover does that is interrupted after its first
// step.
func (f *argoFleet) cutOff() {
	f.t.Helper()
	patch := []byte(`{"metadata":{"annotations":{"causeway.io/takeover-replicas":"1"}},"spec":{"replicas":0}}`)
	_, err := client(f.t).AppsV1().StatefulSets(f.namespace).Patch(f.t.Context(), "argocd-application-controller", types.MergePatchType, patch, metav1.PatchOptions{})
	if err == nil {
		// The set's application names a repository that there is none of.
		expected := `{"bootstrap-addons":{"sync":"Unknown","health":"Unknown"}}`
		record := fmt.Appendf(nil, `{"data":{"stage":"adopting","begun":%q,"applications":%q}}`, time.Now().UTC().Format(time.RFC3339), expected)
		_, err = client(f.t).CoreV1().ConfigMaps(f.namespace).Patch(f.t.Context(), "causeway-takeover", types.MergePatchType, record, metav1.PatchOptions{})
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *argoFleet) noEngine(when string) {
	f.t.Helper()
	if _, err := client(f.t).AppsV1().Deployments(f.namespace).Get(f.t.Context(), "causeway", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		f.t.Errorf("%s: the engine is there: %v", when, err)
	}
}

func (f *argoFleet) engineAt(want int32) {
	f.t.Helper()
	d, err := client(f.t).AppsV1().Deployments(f.namespace).Get(f.t.Context(), "causeway", metav1.GetOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	if *d.Spec.Replicas != want || d.Annotations["causeway.io/takeover-replicas"] != "" {
		f.t.Errorf("the engine has %d replicas, want %d; annotations %v", *d.Spec.Replicas, want, d.Annotations)
	}
}

// host runs an engine for as long as its Deployment has replicas that are
// ready.
func (f *argoFleet) host() {
	f.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.t.Context()))
	done := make(chan struct{})
	program, dir := program(f.t), f.t.TempDir()
	go func() { // waited for when the test ends
		defer close(done)
		var stop func()
		ticker := time.NewTicker(50 * time.Millisecond)
		defer ticker.Stop()
		for {
			d, err := client(f.t).AppsV1().Deployments(f.namespace).Get(ctx, "causeway", metav1.GetOptions{})
			switch {
			case err == nil && stop == nil && *d.Spec.Replicas > 0 && d.Status.ReadyReplicas > 0:
				if stop, err = engineStarts(f.t, program, dir, "--namespace", f.namespace, "--leader-elect", "--mirror", argoRepo+"="+f.folder); err != nil {
					f.t.Errorf("the engine does not start: %v", err)
					return
				}
			case stop != nil && (ctx.Err() != nil || err == nil && *d.Spec.Replicas == 0):
				stop()
				stop = nil
			}
			if ctx.Err() != nil {
				return
			}
			select {
			case <-ctx.Done():
			case <-ticker.C:
			}
		}
	}()
	f.t.Cleanup(func() { cancel(); <-done })
}
