package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// dependent makes an application depend on something; NS stands for what makes
// names the test's own.
func (e *engine) dependent(on string) func(*v1alpha1.Application) {
	on = strings.ReplaceAll(on, "NS", e.namespace)
	return func(app *v1alpha1.Application) { app.Annotations = map[string]string{gitops.AnnotationDependsOn: on} }
}

// stays checks that an object does not come when its application is looked at again.
func (e *engine) stays(absent, name string) {
	e.t.Helper()
	e.looksAt(name)
	if _, err := e.configMap(absent); !apierrors.IsNotFound(err) {
		e.t.Errorf("%s is there, or nobody knows: %v", absent, err)
	}
}

func TestDependsOnAnApplication(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"base/web.yaml": deployment("base", "0", neverReady), "top/cm.yaml": configMapV1})
	stop := e.restart()
	e.app("top", "top", e.dependent("Application/base-NS"))
	e.until("top", "waiting for what does not exist", waitsFor("Application/base-"+e.namespace+": it does not exist"))
	base := e.app("base", "base")
	e.until("top", "waiting for health", waitsFor("Progressing"))
	e.stays("settings", "top")
	stop()
	e.restart()
	top := e.until("top", "still waiting", waitsFor("since "))
	if condition(top, "DependencyWaiting") == "" {
		t.Errorf("no condition tells of it: %+v", top.Status.Conditions)
	}
	// The dependency goes while it is waited for, and comes back.
	if err := e.Delete(t.Context(), base); err != nil {
		t.Fatal(err)
	}
	e.until("top", "waiting for what does not exist any more", waitsFor("does not exist"))
	e.app("base", "base")
	e.write("base/web.yaml", deployment("base", "0", slow))
	top = e.until("top", "synced", good)
	if condition(top, "DependencyWaiting") != "" {
		t.Error("it is synced and says that it waits")
	}
	base = e.until("base", "good", good)
	cm, err := e.configMap("settings")
	if err != nil || cm.CreationTimestamp.Time.Before(base.Status.Health.LastTransitionTime.Time) {
		t.Errorf("it was synced at %s, before its dependency was healthy at %s: %v", cm.CreationTimestamp, base.Status.Health.LastTransitionTime, err)
	}

	// A dependency that falls ill later does not stop healing, but the next revision.
	e.write("base/web.yaml", deployment("base", "0", neverReady))
	e.until("base", "ill", func(app *v1alpha1.Application) bool {
		return app.Status.Health.Status == v1alpha1.HealthStatusProgressing
	})
	if err := e.Delete(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	e.untilVersion("settings", "1")
	e.write("top/cm.yaml", strings.ReplaceAll(configMapV1, `"1"`, `"2"`))
	e.until("top", "waiting with the new revision", waitsFor("Progressing"))
	e.looksAt("top")
	e.keeps("1", "settings")

	// A person may go on without.
	e.change("top", func(app *v1alpha1.Application) {
		app.Operation = &v1alpha1.Operation{
			Sync: &v1alpha1.SyncOperation{}, InitiatedBy: v1alpha1.OperationInitiator{Username: "admin"},
			Info: []v1alpha1.Info{{Name: gitops.InfoIgnoreDependencies, Value: "true"}},
		}
	})
	e.untilVersion("settings", "2")
}

func TestDependenciesThatGoInACircle(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	for _, name := range []string{"a", "b", "c", "self"} {
		e.write(name+"/cm.yaml", strings.ReplaceAll(configMapV1, "settings", name))
	}
	e.restart()
	e.app("a", "a", e.dependent("Application/b-NS"))
	e.app("b", "b", e.dependent("Application[next-to=b]"))
	e.app("c", "c", e.dependent("[{kind: Application, name: a-NS}]"), func(app *v1alpha1.Application) { app.Labels = map[string]string{"next-to": "b"} })
	e.app("self", "self", e.dependent("Application/self-NS"))
	for name, way := range map[string]string{"a": "a → b → c → a", "b": "b → c → a → b", "c": "c → a → b → c", "self": "self → self"} {
		var ids []string
		for n := range strings.SplitSeq(way, " → ") {
			ids = append(ids, e.id(n))
		}
		e.until(name, "telling of the circle", waitsFor(strings.Join(ids, " → ")))
		e.stays(name, name)
	}
	e.change("b", func(app *v1alpha1.Application) { app.Annotations = nil })
	for _, name := range []string{"b", "a", "c"} {
		e.until(name, "synced after the circle was opened", good)
	}
}

// TestDependsOnOthersEachTime names other objects and kinds at each look: those
// before are forgotten, and with the application all of them.
func TestDependsOnOthersEachTime(t *testing.T) {
	e := start(t, map[string]string{"top/cm.yaml": configMapV1})
	on := func(round string) func(*v1alpha1.Application) {
		return e.dependent("ConfigMap/NS/a-" + round + ", ConfigMap/NS/b-" + round + ", in-vain.test/Kind" + round + "/NS/c")
	}
	e.app("top", "top", on("0"))
	for _, round := range []string{"0", "1", "2"} {
		e.change("top", on(round))
		e.until("top", "waiting for what it names now", waitsFor("a-"+round))
		e.awaits(3)
	}
	if err := e.Delete(t.Context(), e.until("top", "there", func(*v1alpha1.Application) bool { return true })); err != nil {
		t.Fatal(err)
	}
	e.awaits(0)
}

// awaits waits until the engine remembers so many objects and kinds that are
// waited for on the hub.
func (e *engine) awaits(want int) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		if n := e.fleet.Hub().State().Awaited; n != want {
			return fmt.Errorf("%d are awaited; want %d", n, want)
		}
		return nil
	})
}

func TestDependsOnObjects(t *testing.T) {
	e := start(t, map[string]string{"top/cm.yaml": configMapV1})
	e.app("top", "top", e.dependent("Deployment/NS/db, Secret[role=key], gates.NS.example.com/Gate/open"))
	e.until("top", "waiting for the object", waitsFor("Deployment/"+e.namespace+"/db: it does not exist"))
	e.until("top", "waiting for the selected ones", waitsFor("[role=key]: there is none"))
	e.until("top", "waiting for the kind", waitsFor("does not serve the kind Gate"))
	db := &appsv1.Deployment{}
	if err := yaml.Unmarshal([]byte(deployment("db", "0", neverReady)), db); err != nil {
		t.Fatal(err)
	}
	db.Namespace = e.namespace
	if err := e.Create(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	e.until("top", "waiting for its health", waitsFor("Deployment/"+e.namespace+"/db: Progressing"))
	before := db.DeepCopy()
	db.Spec.Template.Annotations = nil
	if err := e.Patch(t.Context(), db, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	key := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "key", Labels: map[string]string{"role": "key"}}}
	if err := e.Create(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	e.until("top", "waiting for the kind alone", func(app *v1alpha1.Application) bool {
		return waitsFor("does not serve")(app) && !waitsFor("db")(app) && !waitsFor("role")(app)
	})
	e.stays("settings", "top")
	e.app("gate", "gate")
	group := "gates." + e.namespace + ".example.com"
	e.write("gate/a.yaml", strings.ReplaceAll(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gates.GROUP}
spec:
  group: GROUP
  scope: Cluster
  names: {kind: Gate, plural: gates, singular: gate, listKind: GateList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
apiVersion: GROUP/v1
kind: Gate
metadata: {name: open}
`, "GROUP", group))
	e.until("top", "synced", good)
}

func TestObjectDependsOnWhatItsWaveWaitsFor(t *testing.T) {
	dependent := strings.ReplaceAll(waved("second", "1"), "annotations: {", `annotations: {causeway.io/depends-on: "ConfigMap/outside", `)
	e := start(t, map[string]string{"app/a.yaml": waved("first", "0"), "app/b.yaml": dependent, "app/c.yaml": waved("third", "2")})
	e.app("app", "app")
	e.until("app", "waiting with its second wave", waitsFor("ConfigMap/outside: it does not exist"))
	if _, err := e.configMap("first"); err != nil {
		t.Errorf("the wave before was not applied: %v", err)
	}
	e.stays("second", "app")
	if err := e.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "outside"}}); err != nil {
		t.Fatal(err)
	}
	e.until("app", "synced", good)
	e.write("app/b.yaml", strings.ReplaceAll(dependent, "ConfigMap/outside", "ConfigMap/fourth"))
	e.write("app/d.yaml", waved("fourth", "3"))
	e.until("app", "telling of a wave that comes later", waitsFor("give that a lower wave"))
}

// TestObjectsOfAWaveWaitEachForItsOwn tells of each object what it waits for, and gives up when one says so.
func TestObjectsOfAWaveWaitEachForItsOwn(t *testing.T) {
	on := func(name, refs string) string {
		return strings.ReplaceAll(waved(name, "1"), "annotations: {", "annotations: {causeway.io/depends-on: '"+refs+"', ")
	}
	e := start(t, map[string]string{
		"app/a.yaml": waved("first", "0"), "app/b.yaml": on("second", "ConfigMap/never"), "app/c.yaml": on("third", "ConfigMap/first"),
	})
	e.app("app", "app", noRetry)
	app := e.until("app", "waiting with its second wave", waitsFor("ConfigMap/never: it does not exist"))
	if text := app.Status.OperationState.Message; !strings.Contains(text, "second") || strings.Contains(text, "third") {
		t.Errorf("what waits is told as: %s", text)
	}
	e.stays("third", "app")
	e.write("app/b.yaml", on("second", "[{kind: ConfigMap, name: never, timeout: 2s}]"))
	e.until("app", "given up", func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return st != nil && st.Phase == v1alpha1.OperationFailed && strings.Contains(st.Message, "gave up on") && strings.Contains(st.Message, "after 2s")
	})
	e.stays("third", "app")
}

func TestDependencyGivesUp(t *testing.T) {
	e := start(t, map[string]string{"top/cm.yaml": configMapV1})
	e.app("top", "top", e.dependent("[{kind: ConfigMap, name: never, timeout: 2s}]"))
	e.until("top", "given up", func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return st != nil && st.Phase == v1alpha1.OperationFailed && strings.Contains(st.Message, "gave up after 2s")
	})
	if _, err := e.configMap("settings"); !apierrors.IsNotFound(err) {
		t.Errorf("it was applied all the same: %v", err)
	}
}

func TestSetPassesItsDependenciesOn(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.commit("1", nil)
	e.restart()
	set := e.rolled()
	set.Spec.Strategy = nil
	set.Annotations = map[string]string{gitops.AnnotationDependsOn: "ConfigMap/" + e.namespace + "/gate"}
	if err := e.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	// Who depends on a set depends on all of its applications.
	e.write("last/cm.yaml", configMapV1)
	e.app("last", "last", e.dependent("ApplicationSet/rolled"))
	for _, name := range rolledApps {
		e.until(name, "waiting as its set says", waitsFor("gate"))
	}
	e.until("last", "waiting for the applications of the set", waitsFor("Application/"))
	if err := e.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "gate"}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(rolledApps, "last") {
		e.until(name, "synced", good)
	}
}

// TestDependantOfABrokenSet: who reads a dependant need not be let read the set, nor
// what it names.
func TestDependantOfABrokenSet(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.commit("1", nil)
	e.restart()
	set := e.rolled()
	set.Spec.Strategy = nil
	set.Spec.Template.Name = "of-others"
	if err := e.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	e.untilSet("rolled", func(s *v1alpha1.ApplicationSet) bool {
		return slices.ContainsFunc(s.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
			return c.Type == v1alpha1.ApplicationSetConditionErrorOccurred && strings.Contains(c.Message, "of-others")
		})
	})
	e.write("last/cm.yaml", configMapV1)
	e.app("last", "last", e.dependent("ApplicationSet/rolled"))
	app := e.until("last", "waiting for the set", waitsFor("ApplicationSet/rolled: it has an error"))
	for _, c := range app.Status.Conditions {
		if strings.Contains(c.Message, "of-others") {
			t.Errorf("the dependant repeats what the set says: %s", c.Message)
		}
	}
}
