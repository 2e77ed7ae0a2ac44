package app

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// pair is a set of two applications, each with a folder of its name.
func (e *engine) pair(label string, names ...string) *v1alpha1.ApplicationSet {
	e.t.Helper()
	text := fmt.Sprintf(`
metadata: {name: both, namespace: %[1]s}
spec:
  generators: [{list: {elements: [{name: %[3]s}]}}]
  template:
    metadata: {name: '{{name}}-%[1]s', labels: {tier: %[4]s}, finalizers: [resources-finalizer.argocd.argoproj.io]}
    spec:
      project: default
      source: {repoURL: %[2]s, path: '{{name}}'}
      destination: {server: https://kubernetes.default.svc, namespace: %[1]s}
      syncPolicy: {automated: {prune: true}}
`, e.namespace, repoURL, strings.Join(names, "}, {name: "), label)
	set := &v1alpha1.ApplicationSet{}
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		e.t.Fatal(err)
	}
	return set
}

// patchApp writes into an application as whoever may write it can.
func (e *engine) patchApp(name, patch string) {
	e.t.Helper()
	app := &v1alpha1.Application{}
	app.Namespace, app.Name = e.namespace, e.id(name)
	if err := e.Patch(e.t.Context(), app, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		e.t.Fatal(err)
	}
}

// TestApplicationThatTakesTooMuch has one whose status lists nothing, many times:
// it says so, and stays as it is with all that it has, while others go on. Shortened, it goes on as well.
func TestApplicationThatTakesTooMuch(t *testing.T) {
	heavy := `{"status":{"resources":[` + strings.TrimSuffix(strings.Repeat("{},", 10_000), ",") + `]}}`
	const light, invalid, says = `{"status":{"resources":null}}`, v1alpha1.ApplicationConditionInvalidSpecError, "10000 entries of status.resources"
	e := start(t, map[string]string{
		"large/a.yaml": waved("large", "0"), "large/b.yaml": waved("kept", "0"), "small/a.yaml": configMapV1, "after/a.yaml": waved("after", "0"),
	})
	set := e.pair("one", "large", "small")
	if err := e.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	e.until("large", "good", good)
	e.until("small", "good", good)

	e.patchApp("large", heavy)
	app := e.until("large", "saying what it takes", complains(invalid, says))
	if app.Status.Sync.Status != v1alpha1.SyncStatusCodeUnknown || len(app.Status.Resources) != 10_000 || app.Status.OperationState == nil || app.Spec.Source == nil {
		t.Errorf("more than its condition is written: sync %q, %d resources, %v", app.Status.Sync.Status, len(app.Status.Resources), app.Status.OperationState)
	}
	e.app("after", "after", e.dependent("Application/large-NS"))
	e.until("after", "waiting for it", waitsFor("Application large-"+e.namespace+" takes"))

	// Git, and the set, go on for the other one alone.
	e.remove("large/b.yaml")
	e.write("small/a.yaml", strings.ReplaceAll(configMapV1, `"1"`, `"2"`))
	before := set.DeepCopy()
	set.Spec.Template.Labels["tier"] = "two"
	if err := e.Patch(t.Context(), set, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	e.untilVersion("settings", "2")
	e.until("small", "labelled anew", func(app *v1alpha1.Application) bool { return app.Labels["tier"] == "two" })
	if _, err := e.configMap("kept"); err != nil {
		t.Errorf("an object of an application that is not looked at: %v", err)
	}
	if app := e.until("large", "as it was", complains(invalid, says)); app.Labels["tier"] != "one" {
		t.Error("its set changed it")
	}

	e.patchApp("large", light)
	e.until("large", "good again", func(app *v1alpha1.Application) bool {
		return good(app) && condition(app, invalid) == "" && app.Labels["tier"] == "two"
	})
	e.untilAway(&corev1.ConfigMap{}, "kept")
	e.until("after", "good", good)

	// Its deletion waits as well, and is told why.
	e.patchApp("large", heavy)
	e.says("large", invalid, says)
	e.delete("large")
	e.until("large", "being deleted", func(app *v1alpha1.Application) bool {
		return app.DeletionTimestamp != nil && complains(invalid, says)(app)
	})
	if _, err := e.configMap("large"); apierrors.IsNotFound(err) {
		t.Error("its objects are deleted before it can be read")
	}
	e.patchApp("large", light)
	e.until("large", "made anew by its set", func(now *v1alpha1.Application) bool { return now.UID != app.UID && good(now) })
}
