package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// declares is a manifest of embedded clusters that want the addon.
func (e *engine) declares(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, `---
apiVersion: causeway.io/v1alpha1
kind: Cluster
metadata: {name: %s, namespace: %s}
spec:
  embedded: {nodes: 1}
  labels: {enable_web: "true"}
  annotations: {region: region-of-%s}
`, name, e.namespace, name)
	}
	return b.String()
}

// clusterUntil waits for a condition on a Cluster.
func (e *engine) clusterUntil(name, what string, ok func(*causeway.Cluster) bool) *causeway.Cluster {
	e.t.Helper()
	c := &causeway.Cluster{}
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, c); err != nil {
			return err
		}
		if !ok(c) {
			return fmt.Errorf("cluster %s is not %s: %+v", name, what, c.Status)
		}
		return nil
	})
	return c
}

func isReady(c *causeway.Cluster) bool {
	return c.Status.Phase == causeway.ClusterReady && meta.IsStatusConditionTrue(c.Status.Conditions, causeway.ConditionReady)
}

// says reports whether a condition is false for a reason, and holds words.
func clusterSays(kind, reason string, words ...string) func(*causeway.Cluster) bool {
	return func(c *causeway.Cluster) bool {
		found := meta.FindStatusCondition(c.Status.Conditions, kind)
		if found == nil || found.Status != metav1.ConditionFalse || found.Reason != reason {
			return false
		}
		for _, word := range words {
			if !strings.Contains(found.Message, word) {
				return false
			}
		}
		return true
	}
}

// untilAway waits until an object of the control namespace is not there.
func (e *engine) untilAway(o client.Object, name string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, o)
		if err == nil {
			return fmt.Errorf("%T %s is still there: %+v", o, name, o)
		}
		return client.IgnoreNotFound(err)
	})
}

// inCluster is a client of the cluster that a Secret of the hub describes.
func (e *engine) inCluster(name string) kubernetes.Interface {
	e.t.Helper()
	secret := &corev1.Secret{}
	if err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, secret); err != nil {
		e.t.Fatal(err)
	}
	_, cfg, err := fleet.Parser{}.Parse(secret)
	if err != nil {
		e.t.Fatal(err)
	}
	return far(e.t, cfg)
}

func (e *engine) untilAddon(cluster string) *corev1.ConfigMap {
	e.t.Helper()
	var cm *corev1.ConfigMap
	remote := e.inCluster(cluster)
	embeddedtest.Eventually(e.t, func(ctx context.Context) (err error) {
		cm, err = remote.CoreV1().ConfigMaps("default").Get(ctx, "addon", metav1.GetOptions{})
		return err
	})
	return cm
}

// TestClustersOfGit has clusters.yaml make dev, stg and prod: the addon flows
// onto them with no other step, they outlive the engine, and one that is taken
// out of Git goes when nothing is deployed to it any more.
func TestClustersOfGit(t *testing.T) {
	data := t.TempDir()
	e := prepare(t, hubConfig, map[string]string{"addon/cm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: addon}, data: {a: b}}\n"})
	e.write("clusters/clusters.yaml", e.declares("dev", "stg", "prod"))
	e.adjust = func(c *Config) { c.Embedded = EmbeddedClusters{Dir: data, Most: 3} }
	stop := e.restart()
	if err := e.Create(t.Context(), e.addonSet()); err != nil {
		t.Fatal(err)
	}
	e.app("clusters", "clusters")
	servers := map[string]string{}
	for _, name := range []string{"dev", "stg", "prod"} {
		c := e.clusterUntil(name, "ready", isReady)
		servers[name] = c.Status.Server
		if !strings.HasPrefix(c.Status.Version, "v1.") || c.Status.Driver != "embedded" || c.Status.SecretName != name {
			t.Errorf("the status of %s is %+v", name, c.Status)
		}
	}
	e.until("clusters", "good, as its clusters are ready", good)
	e.hasMetadata("dev")
	before := map[string]types.UID{}
	for name := range servers {
		before[name] = e.untilAddon(name).UID
	}

	stop()
	e.restart()
	for name, server := range servers {
		c := e.clusterUntil(name, "ready again", isReady)
		if c.Status.Server != server {
			t.Errorf("cluster %s moved from %s to %s", name, server, c.Status.Server)
		}
		if now := e.untilAddon(name).UID; now != before[name] {
			t.Errorf("cluster %s was made anew: the addon's object is another one", name)
		}
	}

	e.write("clusters/clusters.yaml", e.declares("dev", "prod"))
	e.untilAway(&causeway.Cluster{}, "stg")
	e.untilAway(&corev1.Secret{}, "stg")
	e.untilAway(&v1alpha1.Application{}, e.namespace+"-stg")
	if !strings.Contains(eventReasons(t, e), "ClusterDraining") {
		t.Error("no event tells that the applications left first")
	}
	if _, err := os.Stat(filepath.Join(data, "stg")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data of the cluster is still there: %v", err)
	}
	for _, name := range []string{"dev", "prod"} {
		if now := e.untilAddon(name).UID; now != before[name] {
			t.Errorf("cluster %s was touched", name)
		}
	}
	e.until("clusters", "good without the one", good)
}

// eventReasons are those of all events in the control namespace.
func eventReasons(t *testing.T, e *engine) string {
	t.Helper()
	var list corev1.EventList
	if err := e.List(t.Context(), &list, client.InNamespace(e.namespace)); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range list.Items {
		b.WriteString(list.Items[i].Reason + " ")
	}
	return b.String()
}

// addonSet deploys the addon to each cluster that wants it.
func (e *engine) addonSet() *v1alpha1.ApplicationSet {
	set := e.addons()
	yes := true
	s := &set.Spec.Template.Spec
	s.Source = &v1alpha1.ApplicationSource{RepoURL: repoURL, Path: "addon", TargetRevision: "HEAD"}
	s.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{Prune: &yes, SelfHeal: &yes}}
	return set
}

// hasMetadata looks at the Secret in Argo CD's form.
func (e *engine) hasMetadata(name string) {
	e.t.Helper()
	secret := &corev1.Secret{}
	if err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, secret); err != nil {
		e.t.Fatal(err)
	}
	for key, want := range map[string]string{"cluster_name": name, "environment": name, "enable_web": "true", v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster} {
		if got := secret.Labels[key]; got != want {
			e.t.Errorf("label %s is %q, want %q", key, got, want)
		}
	}
	for key, want := range map[string]string{"cluster_name": name, "environment": name, "region": "region-of-" + name} {
		if got := secret.Annotations[key]; got != want {
			e.t.Errorf("annotation %s is %q, want %q", key, got, want)
		}
	}
	if string(secret.Data["name"]) != name || len(secret.Data["server"]) == 0 || len(secret.Data["config"]) == 0 {
		e.t.Errorf("the Secret's data has the keys %v", len(secret.Data))
	}
}

// adopts declares the hub itself under another name.
func (e *engine) adopts(name string, change ...func(*causeway.Cluster)) *causeway.Cluster {
	e.t.Helper()
	text, err := os.ReadFile(kubeconfigOfHub)
	if err != nil {
		e.t.Fatal(err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name + "-kubeconfig", Namespace: e.namespace}, Data: map[string][]byte{"config": text}}
	c := &causeway.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace},
		Spec:       causeway.ClusterSpec{Adopt: &causeway.AdoptedCluster{SecretRef: causeway.KeyReference{Name: secret.Name, Key: "config"}}},
	}
	for _, f := range change {
		f(c)
	}
	if err := errors.Join(e.Create(e.t.Context(), secret), e.Create(e.t.Context(), c)); err != nil {
		e.t.Fatal(err)
	}
	return c
}

func (e *engine) changeCluster(c *causeway.Cluster, change func(*causeway.Cluster)) {
	e.t.Helper()
	if err := e.Get(e.t.Context(), client.ObjectKeyFromObject(c), c); err != nil {
		e.t.Fatal(err)
	}
	before := c.DeepCopy()
	change(c)
	if err := e.Patch(e.t.Context(), c, client.MergeFrom(before)); err != nil {
		e.t.Fatal(err)
	}
}

// TestAdoptedClusterGoesLast deletes a protected Cluster with an Application
// on it: protection, the guard and the Application come before the Secret.
func TestAdoptedClusterGoesLast(t *testing.T) {
	e := start(t, map[string]string{"app/cm.yaml": configMapV1})
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName, Namespace: e.namespace}, Data: map[string]string{v1alpha1.SettingGuard: "fleet: 0% min 1"}}
	if err := e.Create(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	c := e.adopts("adopted", func(c *causeway.Cluster) { c.Spec.Protected = true })
	e.clusterUntil("adopted", "ready", isReady)
	lost := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "adopted", Namespace: e.namespace}}
	if err := e.Delete(t.Context(), lost); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error { // it is written again
		return e.Get(ctx, client.ObjectKeyFromObject(c), &corev1.Secret{})
	})
	e.app("app", "app", func(a *v1alpha1.Application) { a.Spec.Destination.Name = "adopted" })
	e.until("app", "good", good)
	e.strangerTo("adopted")
	embeddedtest.Eventually(t, func(context.Context) error {
		if e.guardSettings().Fleet.Least != 1 {
			return errors.New("the engine has not read the limit yet")
		}
		return nil
	})

	if err := e.Delete(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	e.clusterUntil("adopted", "refusing to go", func(c *causeway.Cluster) bool {
		return isReady(c) && clusterSays(causeway.ConditionDeletable, "Protected", "spec.protected")(c)
	})
	e.changeCluster(c, func(c *causeway.Cluster) { c.Spec.Protected = false })
	held := e.clusterUntil("adopted", "held by the guard", clusterSays(causeway.ConditionDeletable, "DeletionHeld", e.id("app"), "causeway approve cluster/adopted", "causeway.io/deletion-approval"))
	e.until("app", "good still", good)
	if held.Status.Phase != causeway.ClusterDraining {
		t.Errorf("the phase is %s", held.Status.Phase)
	}
	message := meta.FindStatusCondition(held.Status.Conditions, causeway.ConditionDeletable).Message
	_, approval, _ := strings.Cut(message, "causeway.io/deletion-approval: ")
	e.changeCluster(c, func(c *causeway.Cluster) {
		c.Annotations = map[string]string{"causeway.io/deletion-approval": strings.Fields(approval)[0]}
	})
	e.untilAway(&causeway.Cluster{}, "adopted")
	e.untilAway(&v1alpha1.Application{}, e.id("app"))
	e.untilAway(&corev1.Secret{}, "adopted")
	if _, err := e.configMap("settings"); !apierrors.IsNotFound(err) {
		t.Errorf("the application's object was left on the cluster: %v", err)
	}
	e.until("stranger", "there still", func(app *v1alpha1.Application) bool { return app.DeletionTimestamp.IsZero() })
}

// strangerTo has somebody write an Application that names a cluster which their
// project does not permit.
func (e *engine) strangerTo(cluster string) {
	e.t.Helper()
	project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "elsewhere"}, Spec: v1alpha1.AppProjectSpec{
		SourceRepos: []string{"*"}, Destinations: []v1alpha1.ApplicationDestination{{Name: "elsewhere", Namespace: "*"}},
	}}
	if err := e.Create(e.t.Context(), project); err != nil {
		e.t.Fatal(err)
	}
	e.app("stranger", "app", func(app *v1alpha1.Application) {
		app.Spec.Project, app.Spec.Destination.Name, app.Spec.Destination.Server = "elsewhere", cluster, ""
	})
	e.until("stranger", "refused", func(app *v1alpha1.Application) bool {
		return strings.Contains(condition(app, v1alpha1.ApplicationConditionInvalidSpecError), "does not permit")
	})
}

// TestOrphanedClusterStays deletes a Cluster whose policy is to leave all as
// it is, and declares it again.
func TestOrphanedClusterStays(t *testing.T) {
	e := start(t, map[string]string{"app/cm.yaml": configMapV1})
	c := e.adopts("kept", func(c *causeway.Cluster) { c.Spec.DeletionPolicy = causeway.DeletionOrphan })
	e.clusterUntil("kept", "ready", isReady)
	e.app("app", "app", func(a *v1alpha1.Application) { a.Spec.Destination.Name = "kept" })
	e.until("app", "good", good)
	if err := e.Delete(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	e.untilAway(&causeway.Cluster{}, "kept")
	secret := &corev1.Secret{}
	if err := e.Get(t.Context(), client.ObjectKeyFromObject(c), secret); err != nil || !secret.DeletionTimestamp.IsZero() {
		t.Errorf("the Secret did not stay: %v", err)
	}
	e.until("app", "good still", good)
	again := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "kept", Namespace: e.namespace}, Spec: c.Spec}
	if err := e.Create(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	e.clusterUntil("kept", "ready, having taken its Secret back", isReady)
}

// TestClustersThatCannotBe tells what is wrong with Clusters that cannot be
// made.
func TestClustersThatCannotBe(t *testing.T) {
	e := start(t, nil)
	taken := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "taken", Namespace: e.namespace}}
	if err := e.Create(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	e.adopts("taken")
	e.adopts("causeway-keys")
	e.adopts("nokey", func(c *causeway.Cluster) { c.Spec.Adopt.SecretRef.Key = "other" })
	e.adopts("nosecret", func(c *causeway.Cluster) { c.Spec.Adopt.SecretRef.Name = "other" })
	e.adopts("nocontext", func(c *causeway.Cluster) { c.Spec.Adopt.Context = "other" })
	switched := e.adopts("switched")
	none := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "none", Namespace: e.namespace}, Spec: causeway.ClusterSpec{Embedded: &causeway.EmbeddedCluster{}}}
	boxes := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "boxes", Namespace: e.namespace}, Spec: causeway.ClusterSpec{Kind: &causeway.KindCluster{}}}
	t.Setenv("PATH", t.TempDir()) // no Docker
	if err := errors.Join(e.Create(t.Context(), none), e.Create(t.Context(), boxes)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct{ reason, word string }{
		"taken": {"Invalid", "is there already"}, "nokey": {"NotFound", `has no key "other"`}, "nosecret": {"NotFound", "does not exist"},
		"nocontext": {"Invalid", "no context"}, "none": {"Forbidden", "--embedded-clusters"},
		"boxes": {"NotFound", "Docker"}, "causeway-keys": {"Invalid", "names that begin with causeway-"},
	} {
		e.clusterUntil(name, "telling what is wrong", clusterSays(causeway.ConditionReady, want.reason, want.word))
	}
	e.clusterUntil("switched", "ready", isReady)
	e.changeCluster(switched, func(c *causeway.Cluster) { c.Spec.Adopt, c.Spec.Embedded = nil, &causeway.EmbeddedCluster{} })
	e.clusterUntil("switched", "refused", clusterSays(causeway.ConditionValid, "Invalid", "cannot be changed"))
	other := e.app("other", "none", func(app *v1alpha1.Application) {
		app.Spec.Destination, app.Finalizers = v1alpha1.ApplicationDestination{Name: "taken"}, nil
	})
	for _, name := range []string{"nokey", "none", "boxes", "taken"} {
		c := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace}}
		if err := e.Delete(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		e.untilAway(c, name)
	}
	if err := e.Get(t.Context(), client.ObjectKeyFromObject(other), other); err != nil || !other.DeletionTimestamp.IsZero() {
		t.Errorf("an Application went with a Cluster that never was: what has its name is another cluster's: %v", err)
	}
}

// refusesSecrets has the API server refuse the deletion of a Secret, until the
// function is called.
func (e *engine) refusesSecrets(name string) (again func()) {
	e.t.Helper()
	return e.refusesDeletions(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace}}, "false",
		admissionv1.NamedRuleWithOperations{ResourceNames: []string{name}, RuleWithOperations: deletionOf("", "v1", "secrets")})
}

func deletionOf(group, version string, resources ...string) admissionv1.RuleWithOperations {
	return admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Delete},
		Rule:       admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{version}, Resources: resources},
	}
}

// refusesDeletions has the API server refuse deletions of which an expression
// is not true, until the function is called. That of the sample is one.
func (e *engine) refusesDeletions(sample client.Object, unless string, rules ...admissionv1.NamedRuleWithOperations) (again func()) {
	e.t.Helper()
	head := metav1.ObjectMeta{Name: "keep-" + sample.GetName() + "-" + e.namespace}
	fail := admissionv1.Fail
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: head, Spec: admissionv1.ValidatingAdmissionPolicySpec{
		FailurePolicy: &fail,
		MatchConstraints: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": e.namespace}},
			ResourceRules:     rules,
		},
		Validations: []admissionv1.Validation{{Expression: unless, Message: "this object is kept by a policy"}},
	}}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: head, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: head.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
	}}
	admission := far(e.t, hubConfig).AdmissionregistrationV1()
	_, err := admission.ValidatingAdmissionPolicies().Create(e.t.Context(), policy, metav1.CreateOptions{})
	_, err2 := admission.ValidatingAdmissionPolicyBindings().Create(e.t.Context(), binding, metav1.CreateOptions{})
	if err := errors.Join(err, err2); err != nil {
		e.t.Fatal(err)
	}
	again = func() {
		ctx := context.WithoutCancel(e.t.Context())
		_ = admission.ValidatingAdmissionPolicyBindings().Delete(ctx, head.Name, metav1.DeleteOptions{})
		_ = admission.ValidatingAdmissionPolicies().Delete(ctx, head.Name, metav1.DeleteOptions{})
	}
	e.t.Cleanup(again)
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		err := e.Delete(ctx, sample, client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), "kept by a policy") {
			return fmt.Errorf("the deletion is not refused: %w", errors.Join(err, errors.New("no policy")))
		}
		return nil
	})
	return again
}

// TestDeletionsNameTheirObject has an API server that takes no deletion which
// does not say by its UID what it means.
func TestDeletionsNameTheirObject(t *testing.T) {
	e := start(t, nil, hasty)
	spoke := e.spoke("one", "true", "eu")
	if err := e.Create(t.Context(), e.addons()); err != nil {
		t.Fatal(err)
	}
	e.untilRegion("one", "eu")
	c := e.adopts("adopted")
	e.clusterUntil("adopted", "ready", isReady)
	e.refusesDeletions(spoke, "has(request.options.preconditions) && has(request.options.preconditions.uid)",
		admissionv1.NamedRuleWithOperations{RuleWithOperations: deletionOf("", "v1", "secrets")},
		admissionv1.NamedRuleWithOperations{RuleWithOperations: deletionOf("argoproj.io", "v1alpha1", "applications")})
	before := spoke.DeepCopy()
	spoke.Labels["enable_web"] = "false"
	if err := errors.Join(e.Patch(t.Context(), spoke, client.MergeFrom(before)), e.Delete(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		app, err := e.generated("one")
		if err == nil && app.DeletionTimestamp.IsZero() { // its cluster keeps it from being gone
			err = errors.New("the generated Application is not deleted")
		}
		return err
	})
	e.untilAway(&causeway.Cluster{}, "adopted")
	e.untilAway(&corev1.Secret{}, "adopted")
}

// TestDeletionThatFailsIsTold has a Secret that may not be deleted, and a
// container engine that is down: Deletable tells it, and the deletion goes on
// when that is mended.
func TestDeletionThatFailsIsTold(t *testing.T) {
	e, bin := start(t, nil, hasty), t.TempDir()
	t.Setenv("PATH", bin)
	docker := filepath.Join(bin, "docker")
	if err := os.WriteFile(docker, []byte("#!/bin/sh\ncase $1 in -v) echo Docker version 27;; *) echo no daemon >&2; exit 1;; esac\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	adopted := e.adopts("adopted")
	boxes := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "boxes", Namespace: e.namespace}, Spec: causeway.ClusterSpec{Kind: &causeway.KindCluster{}}}
	if err := e.Create(t.Context(), boxes); err != nil {
		t.Fatal(err)
	}
	e.clusterUntil("adopted", "ready", isReady)
	e.clusterUntil("boxes", "telling that Docker is down", clusterSays(causeway.ConditionReady, "Unreachable", "Docker"))
	again := e.refusesSecrets("adopted")
	if err := errors.Join(e.Delete(t.Context(), adopted), e.Delete(t.Context(), boxes)); err != nil {
		t.Fatal(err)
	}
	e.clusterUntil("adopted", "telling what refuses", clusterSays(causeway.ConditionDeletable, "Failed", "adopted", "kept by a policy"))
	e.clusterUntil("boxes", "telling that Docker is down", clusterSays(causeway.ConditionDeletable, "Unreachable", "Docker"))
	again()
	if err := os.Remove(docker); err != nil {
		t.Fatal(err)
	}
	e.untilAway(adopted, "adopted")
	e.untilAway(boxes, "boxes")
}
