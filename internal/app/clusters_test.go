package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// far is a client of another cluster than the hub.
func far(t *testing.T, cfg *rest.Config) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// key names an Application of the test.
func (e *engine) key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: e.namespace, Name: e.id(name)}
}

// onSpoke sends an Application to the namespace default of the spoke.
func onSpoke(app *v1alpha1.Application) {
	app.Spec.Destination = v1alpha1.ApplicationDestination{Name: "spoke", Namespace: "default"}
}

// leaf is an Application in a manifest that goes to the spoke.
func (e *engine) leaf(name, wave string) string {
	return strings.Replace(e.childApp(name, name, wave), "destination: {name: in-cluster, namespace: "+e.namespace+"}", "destination: {name: spoke, namespace: default}", 1)
}

// withHealth waits for the health of an Application that is at rest.
func (e *engine) withHealth(name string, want v1alpha1.HealthStatusCode) {
	e.t.Helper()
	e.until(name, string(want), func(app *v1alpha1.Application) bool {
		return app.Status.Health.Status == want && app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced
	})
}

// TestThreeLevelsOfAppsAcrossClusters tells that a wave of the root waits for
// what its grandchildren have on another cluster, that their health comes up
// to it, and that a deletion goes down in reverse.
func TestThreeLevelsOfAppsAcrossClusters(t *testing.T) {
	spoke := embeddedtest.Start(t, embedded.Options{Name: "spoke"})
	e := prepare(t, hubConfig, map[string]string{"db/web.yaml": deployment("db", "0", neverReady), "shop/cm.yaml": configMapV1})
	e.write("root/platform.yaml", e.childApp("platform", "platform", "0"))
	e.write("root/shops.yaml", e.childApp("shops", "shops", "1"))
	e.write("platform/db.yaml", e.leaf("db", "0"))
	e.write("shops/shop.yaml", e.leaf("shop", "0"))
	e.restart()
	e.describe("spoke", embeddedtest.Config(t, spoke))
	e.app("root", "root")
	e.until("root", "waiting for its first child", waitsFor(e.id("platform")))
	e.withHealth("platform", v1alpha1.HealthStatusProgressing)
	e.looksAt("root")
	if err := e.Get(t.Context(), e.key("shops"), &v1alpha1.Application{}); !apierrors.IsNotFound(err) {
		t.Errorf("the second wave is there before the first one is healthy, or nobody knows: %v", err)
	}

	e.write("db/web.yaml", deployment("db", "0", slow))
	root := e.until("root", "good", good)
	db, shop := e.until("db", "good", good), e.until("shop", "good", good)
	if healthy := db.Status.Health.LastTransitionTime.Time; shop.CreationTimestamp.Time.Before(healthy) {
		t.Errorf("the shop was created at %s, before the database was healthy at %s", shop.CreationTimestamp, healthy)
	}

	// What falls ill on the other cluster is seen at the root, and also that it got well.
	e.write("db/web.yaml", deployment("db", "0", neverReady))
	e.withHealth("root", v1alpha1.HealthStatusProgressing)
	e.write("db/web.yaml", deployment("db", "0", ""))
	e.withHealth("root", v1alpha1.HealthStatusHealthy)

	// The last wave goes first, with all that is below it on the other cluster.
	client := far(t, embeddedtest.Config(t, spoke))
	hold := func(finalizers ...string) {
		maps := client.CoreV1().ConfigMaps("default")
		cm, err := maps.Get(t.Context(), "settings", metav1.GetOptions{})
		if err == nil {
			cm.Finalizers = finalizers
			_, err = maps.Update(t.Context(), cm, metav1.UpdateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	hold("example.com/hold")
	if err := e.Delete(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		cm, err := client.CoreV1().ConfigMaps("default").Get(ctx, "settings", metav1.GetOptions{})
		if err == nil && cm.DeletionTimestamp == nil {
			err = errors.New("the shop's object is not being deleted")
		}
		return err
	})
	embeddedtest.Never(t, time.Second, func(ctx context.Context) error {
		d, err := client.AppsV1().Deployments("default").Get(ctx, "db", metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && d.DeletionTimestamp != nil {
			return nil // it goes, which must not happen
		}
		return errors.New("the database is still wanted, or nothing was seen in time")
	})
	hold()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		for _, name := range []string{"root", "platform", "shops", "db", "shop"} {
			if err := e.Get(ctx, e.key(name), &v1alpha1.Application{}); err == nil {
				return fmt.Errorf("application %s is still there", name)
			}
		}
		return nil
	})
	if _, err := client.AppsV1().Deployments("default").Get(t.Context(), "db", metav1.GetOptions{}); err == nil {
		t.Error("the database was left on the other cluster")
	}
}

// TestDependsOnAnotherCluster tells what a wait says of a cluster that is not
// known, and of one that does not answer, and that it goes on by itself.
func TestDependsOnAnotherCluster(t *testing.T) {
	spoke := embeddedtest.Start(t, embedded.Options{Name: "spoke", DataDir: t.TempDir()})
	e := start(t, map[string]string{"top/cm.yaml": configMapV1, "below/cm.yaml": configMapV1, "next/cm.yaml": strings.ReplaceAll(configMapV1, "settings", "next")}, hasty)
	e.app("top", "top", e.dependent("[{group: apps, kind: Deployment, namespace: default, name: db, cluster: spoke}]"))
	e.app("next", "next", e.dependent("Application/below-NS"))
	e.app("below", "below", onSpoke)
	e.until("top", "waiting for a cluster that is not known", waitsFor("spoke"))
	e.describe("spoke", embeddedtest.Config(t, spoke))
	e.until("top", "waiting for the object", waitsFor("Deployment/default/db on cluster spoke: it does not exist"))
	e.until("next", "good after what it depends on, on the other cluster", good)

	db := &appsv1.Deployment{}
	if err := yaml.Unmarshal([]byte(deployment("db", "0", neverReady)), db); err != nil {
		t.Fatal(err)
	}
	if _, err := far(t, embeddedtest.Config(t, spoke)).AppsV1().Deployments("default").Create(t.Context(), db, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	e.until("top", "waiting for health on the other cluster", waitsFor("Deployment/default/db on cluster spoke: Progressing"))

	if err := spoke.Stop(); err != nil {
		t.Fatal(err)
	}
	e.until("top", "telling that the cluster does not answer", waitsFor("does not answer"))
	e.write("next/cm.yaml", strings.ReplaceAll(strings.ReplaceAll(configMapV1, "settings", "next"), `"1"`, `"2"`))
	e.write("below/cm.yaml", strings.ReplaceAll(configMapV1, `"1"`, `"2"`))
	e.until("next", "waiting for an application whose cluster does not answer", waitsFor(e.id("below")))
	e.stays("settings", "top")
	e.looksAt("next")
	e.keeps("1", "next")

	again := embeddedtest.Start(t, spoke.Options())
	e.until("top", "waiting for health again", waitsFor("Deployment/default/db on cluster spoke: Progressing"))
	e.until("next", "good after the cluster came back", good)
	e.untilVersion("next", "2")
	patch := []byte(`{"spec": {"template": {"metadata": {"annotations": null}}}}`)
	if _, err := far(t, embeddedtest.Config(t, again)).AppsV1().Deployments("default").Patch(t.Context(), "db", "application/merge-patch+json", patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	e.until("top", "good after all", good)
	if _, err := e.configMap("settings"); err != nil {
		t.Error(err)
	}
}

// TestClusterDescribedTwice has two Secrets for one server. What runs stays, and
// nothing goes where nobody can say that it is to go.
func TestClusterDescribedTwice(t *testing.T) {
	named := func(name string) string { return strings.ReplaceAll(configMapV1, "settings", name) }
	e := start(t, map[string]string{"byserver/a.yaml": named("byserver"), "byname/a.yaml": named("byname")}, hasty)
	e.describe("dev", hubConfig)
	dev := e.secret("dev")
	e.app("byserver", "byserver", func(app *v1alpha1.Application) {
		app.Spec.Destination.Name, app.Spec.Destination.Server = "", hubConfig.Host
	})
	e.app("byname", "byname", func(app *v1alpha1.Application) { app.Spec.Destination.Name = "dev" })
	e.until("byserver", "good", good)
	again := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "again", Namespace: e.namespace, Labels: dev.Labels},
		Data:       map[string][]byte{"name": []byte("again"), "server": []byte(hubConfig.Host + "/"), "config": dev.Data["config"]},
	}
	if err := e.Create(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	told := func(kind string) func(app *v1alpha1.Application) bool {
		return func(app *v1alpha1.Application) bool {
			text := condition(app, kind)
			return strings.Contains(text, "several cluster Secrets have the server") && !strings.Contains(text, "again, dev")
		}
	}
	e.until("byserver", "told that several Secrets are of its server, and not which", told(v1alpha1.ApplicationConditionInvalidSpecError))
	e.until("byname", "good where its Secret says", good)
	e.untilEvent("again, dev; destinations by this server are refused")
	if err := e.Delete(t.Context(), e.until("byserver", "there", func(*v1alpha1.Application) bool { return true })); err != nil {
		t.Fatal(err)
	}
	e.until("byserver", "not deleted, for nobody knows where", told(v1alpha1.ApplicationConditionDeletionError))
	if _, err := e.configMap("byserver"); err != nil {
		t.Errorf("what ran does not stay: %v", err)
	}
	if err := e.Delete(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	e.untilDeleted("byserver")
}

// untilEvent waits until an event on a Secret says something.
func (e *engine) untilEvent(text string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		var events corev1.EventList
		if err := e.List(ctx, &events, client.InNamespace(e.namespace)); err != nil {
			return err
		}
		for i := range events.Items {
			if o := &events.Items[i]; (o.InvolvedObject.Kind == "Secret" || o.InvolvedObject.Kind == "ConfigMap") && strings.Contains(o.Message, text) {
				return nil
			}
		}
		return fmt.Errorf("none of %d events says %q", len(events.Items), text)
	})
}

// TestKubeconfigsTakeNothing has one who may write kubeconfigs in some
// namespace, and names the cluster of somebody else.
func TestKubeconfigsTakeNothing(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1}, hasty)
	e.describe("dev", hubConfig)
	e.app("app", "app", func(app *v1alpha1.Application) {
		app.Spec.Destination.Name, app.Spec.Destination.Server = "", hubConfig.Host
	})
	e.until("app", "good", good)
	lead := func(name, server, more string) {
		t.Helper()
		text := fmt.Sprintf(`{current-context: c, contexts: [{name: c, context: {cluster: c, user: c}}],
clusters: [{name: c, cluster: {server: %q, %s}}], users: [{name: c, user: {token: hunter2}}]}`, server, more)
		s := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Name: name, Namespace: e.namespace, Labels: map[string]string{"mine": "yes"},
				Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true", "team": "red"},
			},
			StringData: map[string]string{"config": text},
		}
		if err := e.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	lead("a-thief", strings.Replace(hubConfig.Host, "https", "HTTPS", 1)+"//", "insecure-skip-tls-verify: true")
	lead("b-proxy", "https://new.test", `proxy-url: "http://thief.test"`)
	lead("c-hub", "https://kubernetes.default.svc.cluster.local", "")
	lead("d-mine", "https://mine.test", "")
	lead("e-mine", "https://MINE.test:443", "")
	e.source("mine", `{secrets: {selector: {matchLabels: {mine: "yes"}}}, copyAnnotations: ["*"], clusterName: "k-$(name)"}`)
	e.untilSource("mine", "the server of Secret "+e.namespace+"/a-thief is that of cluster Secret dev", "b-proxy: it has a proxy", "c-hub: its server is the hub's own",
		"the server of Secret "+e.namespace+"/e-mine is that of cluster Secret k-d-mine")
	e.untilCluster("k-d-mine", func(s *corev1.Secret) bool {
		return withToken("hunter2")(s) && s.Annotations["team"] == "red" && s.Annotations[v1alpha1.AnnotationSkipReconcile] == "" &&
			s.Annotations[causeway.AnnotationFoundIn] == e.namespace+"/d-mine"
	})
	// Who describes a cluster by hand is not kept from it by one who was faster.
	e.secretOf("late", "https://mine.test", "another")
	embeddedtest.Eventually(t, func(context.Context) error {
		c, err := e.fleet.Resolve(v1alpha1.ApplicationDestination{Server: "https://mine.test"})
		if err != nil {
			return err
		}
		if c.Desc().Secret != "late" {
			return fmt.Errorf("destinations lead to %s", c.Desc().Secret)
		}
		return nil
	})
	e.write("app/a.yaml", strings.Replace(configMapV1, `"1"`, `"2"`, 1))
	e.untilVersion("settings", "2")
}

func (e *engine) secretOf(name, server, token string) {
	e.t.Helper()
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		StringData: map[string]string{"name": name, "server": server, "config": fmt.Sprintf(`{"bearerToken": %q}`, token)},
	}
	if err := e.Create(e.t.Context(), s); err != nil {
		e.t.Fatal(err)
	}
}

// TestPausedCluster takes a cluster out for maintenance: nothing that goes there
// is done until it is back, and then all at once.
func TestPausedCluster(t *testing.T) {
	named := func(name string) string { return strings.ReplaceAll(configMapV1, "settings", name) }
	e := start(t, map[string]string{"app/a.yaml": configMapV1, "app/b.yaml": named("pruned"), "doomed/a.yaml": named("doomed"), "late/a.yaml": named("late")}, hasty)
	e.describe("dev", hubConfig)
	there := func(app *v1alpha1.Application) { app.Spec.Destination.Name = "dev" }
	e.app("app", "app", there)
	e.app("doomed", "doomed", there)
	e.until("app", "good", good)
	e.until("doomed", "good", good)
	pause := func(value string) {
		t.Helper()
		s := e.secret("dev")
		before := s.DeepCopy()
		s.Annotations = map[string]string{v1alpha1.AnnotationSkipReconcile: value}
		if err := e.Patch(t.Context(), s, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
	paused := func(app *v1alpha1.Application) bool {
		return strings.Contains(condition(app, v1alpha1.ApplicationConditionClusterPausedWarning), "cluster dev is paused")
	}
	pause("True")
	was := e.until("app", "told that its cluster is paused", paused)
	if !good(was) {
		t.Errorf("what was seen last does not stay: %+v", was.Status)
	}
	e.until("doomed", "told that its cluster is paused", paused)

	// Something to sync, to prune, to heal, to delete, to make, and what a person asks for.
	e.atOnce(func() {
		e.write("app/a.yaml", strings.Replace(configMapV1, `"1"`, `"2"`, 1))
		e.remove("app/b.yaml")
	})
	cm, err := e.configMap("settings")
	if err != nil {
		t.Fatal(err)
	}
	cm.Data["version"] = "drifted"
	if err := e.Update(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	if err := e.Delete(t.Context(), e.until("doomed", "there", paused)); err != nil {
		t.Fatal(err)
	}
	e.app("late", "late", there)
	e.change("app", func(app *v1alpha1.Application) {
		app.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true}}
	})
	e.until("late", "told that its cluster is paused", paused)
	has := func(name, version string) bool {
		cm, err := e.configMap(name)
		return err == nil && cm.Data["version"] == version
	}
	embeddedtest.Never(t, time.Second, func(context.Context) error {
		app := e.until("app", "there", func(*v1alpha1.Application) bool { return true })
		if app.Operation == nil || !has("settings", "drifted") || !has("pruned", "1") || !has("doomed", "1") || has("late", "1") {
			return nil
		}
		return errors.New("nothing was done")
	})

	pause("false")
	e.untilVersion("settings", "2")
	e.untilDeleted("doomed")
	back := e.until("app", "good, and not paused", func(app *v1alpha1.Application) bool { return good(app) && !paused(app) && app.Operation == nil })
	if len(back.Status.Conditions) > 0 {
		t.Errorf("conditions are left: %v", back.Status.Conditions)
	}
	e.until("late", "good", good)
	if _, err := e.configMap("pruned"); !apierrors.IsNotFound(err) {
		t.Errorf("what Git has no more is not pruned: %v", err)
	}
}
