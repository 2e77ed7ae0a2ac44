package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	fleetRepo   = "https://git.example.com/team/fleet"
	fleetCommit = "5b1cf0de2a3e4f708192a3b4c5d6e7f801234567"
)

const argoWeb = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example.com/web, ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {color: blue}
`

const argoShop = `apiVersion: v1
kind: ConfigMap
metadata: {name: shop, labels: {release: shop}}
data: {mode: standard}
`

const argoBase = `apiVersion: v1
kind: ConfigMap
metadata: {name: base-settings}
data: {level: info}
`

// argoFleet is a cluster with an Argo CD whose applications are synced.
type argoFleet struct {
	client.Client

	t          *testing.T
	config     *rest.Config
	kubeconfig string
	// namespace is the control namespace, workloads where applications deploy to.
	namespace, workloads, folder string
}

func newArgoFleet(t *testing.T, config *rest.Config, kubeconfig string) *argoFleet {
	t.Helper()
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme))
	f := &argoFleet{
		t: t, config: config, kubeconfig: kubeconfig, folder: t.TempDir(),
		namespace: embeddedtest.Namespace(t, config), workloads: embeddedtest.Namespace(t, config),
	}
	if err == nil {
		f.Client, err = client.New(config, client.Options{Scheme: scheme})
	}
	if err != nil {
		t.Fatal(err)
	}
	f.write("web/all.yaml", argoWeb)
	f.write("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n")
	f.write("shop/templates/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}, labels: {release: {{ .Release.Name }}}}\ndata: {mode: {{ .Values.mode }}}\n")
	f.write("shop/values.yaml", "mode: standard\n")
	f.write("base/kustomization.yaml", "namePrefix: base-\nresources: [cm.yaml]\n")
	f.write("base/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: info}\n")
	f.argo()
	f.synced("web", argoWeb)
	f.synced("shop", argoShop)
	f.serverSide("base", argoBase)
	f.settled()
	return f
}

func (f *argoFleet) write(name, content string) {
	f.t.Helper()
	path := filepath.Join(f.folder, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *argoFleet) create(o client.Object, options ...client.CreateOption) {
	f.t.Helper()
	if err := f.Create(f.t.Context(), o, options...); err != nil {
		f.t.Fatalf("%s: %v", o.GetName(), err)
	}
}

// argo installs what counts of Argo CD.
func (f *argoFleet) argo() {
	f.t.Helper()
	for _, name := range []string{"argocd-application-controller", "argocd-applicationset-controller", "argocd-repo-server", "argocd-server"} {
		labels := map[string]string{"app.kubernetes.io/name": name}
		meta := metav1.ObjectMeta{Name: name, Namespace: f.namespace, Labels: map[string]string{
			"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "argocd", "app.kubernetes.io/component": strings.TrimPrefix(name, "argocd-"),
		}}
		template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: name, Image: "quay.io/argoproj/argocd:v3.1.0"}}}}
		if strings.HasSuffix(name, "application-controller") {
			f.create(&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template}})
			continue
		}
		f.create(&appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template}})
	}
	f.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "argocd-cm", Namespace: f.namespace}, Data: map[string]string{"url": "https://cd.example.com", "kustomize.buildOptions": "--load-restrictor LoadRestrictionsNone"}})
	f.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "argocd-cmd-params-cm", Namespace: f.namespace}, Data: map[string]string{"controller.status.processors": "50"}})
	f.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "argocd-rbac-cm", Namespace: f.namespace}, Data: map[string]string{"policy.default": "role:readonly"}})
	f.create(&v1alpha1.AppProject{
		ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: f.namespace},
		Spec:       v1alpha1.AppProjectSpec{SourceRepos: []string{"*"}, Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}},
	})
}

// id makes the name of an application its own in a cluster that several fleets share.
func (f *argoFleet) id(name string) string { return name + "-" + f.namespace }

// synced makes an Application with its objects as Argo CD leaves them: applied
// on the client, with what was applied in an annotation, and tracked.
func (f *argoFleet) synced(name, manifests string) {
	f.t.Helper()
	objects, resources := f.tracked(name, manifests)
	for _, o := range objects {
		applied, err := json.Marshal(o.Object)
		if err != nil {
			f.t.Fatal(err)
		}
		annotations := o.GetAnnotations()
		annotations["kubectl.kubernetes.io/last-applied-configuration"] = string(applied) + "\n"
		o.SetAnnotations(annotations)
		f.create(o, client.FieldOwner("argocd-controller"))
	}
	f.application(name, true, resources)
}

// serverSide makes an Application that is synced by hand, with its objects as
// Argo CD leaves them with ServerSideApply=true.
func (f *argoFleet) serverSide(name, manifests string) {
	f.t.Helper()
	objects, resources := f.tracked(name, manifests)
	for _, o := range objects {
		if err := f.Apply(f.t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("argocd-controller")); err != nil {
			f.t.Fatal(err)
		}
	}
	f.application(name, false, resources)
}

// tracked are the objects of manifests with the annotation of the application.
func (f *argoFleet) tracked(name, manifests string) (objects []*unstructured.Unstructured, resources []v1alpha1.ResourceStatus) {
	f.t.Helper()
	for text := range strings.SplitSeq(manifests, "---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			f.t.Fatal(err)
		}
		o.SetNamespace(f.workloads)
		o.SetAnnotations(map[string]string{v1alpha1.AnnotationTrackingID: gitops.TrackingID(f.id(name), gitops.KeyOf(o))})
		objects = append(objects, o)
		gvk := o.GroupVersionKind()
		resources = append(resources, v1alpha1.ResourceStatus{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: f.workloads, Name: o.GetName(), Status: v1alpha1.SyncStatusCodeSynced})
	}
	return objects, resources
}

func (f *argoFleet) application(name string, automated bool, resources []v1alpha1.ResourceStatus) {
	f.t.Helper()
	at, yes := v1alpha1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second)), true
	source := v1alpha1.ApplicationSource{RepoURL: fleetRepo, Path: name, TargetRevision: "HEAD"}
	if name == "shop" {
		source.Helm = &v1alpha1.ApplicationSourceHelm{ReleaseName: "shop"}
	}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: f.id(name), Namespace: f.namespace}}
	app.Spec = v1alpha1.ApplicationSpec{Project: "default", Source: &source, Destination: v1alpha1.ApplicationDestination{Server: "https://kubernetes.default.svc", Namespace: f.workloads}}
	if automated {
		app.Spec.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{Prune: &yes, SelfHeal: &yes}}
	}
	app.Status = v1alpha1.ApplicationStatus{
		Resources:    resources,
		Sync:         v1alpha1.SyncStatus{Status: v1alpha1.SyncStatusCodeSynced, Revision: fleetCommit, ComparedTo: v1alpha1.ComparedTo{Source: source, Destination: app.Spec.Destination}},
		Health:       v1alpha1.AppHealthStatus{Status: v1alpha1.HealthStatusHealthy},
		History:      v1alpha1.RevisionHistories{{ID: 0, Revision: fleetCommit, DeployedAt: at, DeployStartedAt: &at, Source: source}},
		ReconciledAt: &at,
		OperationState: &v1alpha1.OperationState{
			Phase: v1alpha1.OperationSucceeded, Message: "successfully synced (all tasks run)", StartedAt: at, FinishedAt: &at,
			Operation:  v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Revision: fleetCommit}},
			SyncResult: &v1alpha1.SyncOperationResult{Revision: fleetCommit, Source: source},
		},
	}
	f.create(app, client.FieldOwner("argocd-application-controller"))
}

// settled waits until all workloads of both namespaces run.
func (f *argoFleet) settled() {
	f.t.Helper()
	embeddedtest.Eventually(f.t, func(ctx context.Context) error {
		var list appsv1.DeploymentList
		if err := f.List(ctx, &list); err != nil {
			return err
		}
		for i := range list.Items {
			if d := &list.Items[i]; (d.Namespace == f.namespace || d.Namespace == f.workloads) && d.Status.AvailableReplicas < *d.Spec.Replicas {
				return fmt.Errorf("deployment %s is not available yet", d.Name)
			}
		}
		return nil
	})
}

// versions is everything that an import must leave as it is: objects by name
// with their resource versions, without what others keep writing.
func (f *argoFleet) versions() map[string]string {
	f.t.Helper()
	out := map[string]string{}
	for _, namespace := range []string{f.namespace, f.workloads} {
		for _, list := range []client.ObjectList{&appsv1.DeploymentList{}, &appsv1.StatefulSetList{}, &corev1.ConfigMapList{}, &corev1.ServiceList{}, &corev1.PodList{}, &corev1.SecretList{}, &v1alpha1.ApplicationList{}, &v1alpha1.AppProjectList{}} {
			if err := f.List(f.t.Context(), list, client.InNamespace(namespace)); err != nil {
				f.t.Fatal(err)
			}
			items, err := runtime.DefaultUnstructuredConverter.ToUnstructured(list)
			if err != nil {
				f.t.Fatal(err)
			}
			all, _, _ := unstructured.NestedSlice(items, "items")
			for _, item := range all {
				o := unstructured.Unstructured{Object: item.(map[string]any)} //nolint:forcetypeassert // a list of objects
				out[fmt.Sprintf("%T %s/%s", list, namespace, o.GetName())] = o.GetResourceVersion()
			}
		}
	}
	return out
}

// reader is a kubeconfig of an account that may read everything, and write nothing.
func (f *argoFleet) reader() string {
	f.t.Helper()
	name := "reader-" + f.namespace
	f.create(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "reader", Namespace: f.namespace}})
	f.create(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}}}})
	f.create(&rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: f.namespace, Name: "reader"}},
	})
	return kubeconfigOf(f.t, f.Client, f.config, f.namespace, "reader")
}

// kubeconfigOf is a kubeconfig of a service account.
func kubeconfigOf(t *testing.T, c client.Client, config *rest.Config, namespace, account string) string {
	t.Helper()
	as := accountOf(t, c, config, namespace, account)
	cluster := &clientcmdapi.Cluster{Server: as.Host, CertificateAuthorityData: as.CAData, CertificateAuthority: as.CAFile}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	err := clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"c": cluster}, AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": {Token: as.BearerToken}},
		Contexts: map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}}, CurrentContext: "x",
	}, path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// accountOf is the configuration of a service account: its token, and nothing else.
func accountOf(t *testing.T, c client.Client, config *rest.Config, namespace, account string) *rest.Config {
	t.Helper()
	token := &authenticationv1.TokenRequest{}
	if err := c.SubResource("token").Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: account, Namespace: namespace}}, token); err != nil {
		t.Fatal(err)
	}
	return &rest.Config{Host: config.Host, BearerToken: token.Status.Token, TLSClientConfig: rest.TLSClientConfig{CAData: config.CAData, CAFile: config.CAFile}}
}

// run is the command against this fleet.
func (f *argoFleet) run(kubeconfig string, args ...string) result {
	f.t.Helper()
	return invoke(f.t, f.args(kubeconfig, args...)...)
}

func (f *argoFleet) args(kubeconfig string, args ...string) []string {
	return append([]string{"import", "argocd", "--kubeconfig", kubeconfig, "-n", f.namespace, "--mirror", fleetRepo + "=" + f.folder}, args...)
}
