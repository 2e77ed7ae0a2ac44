package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// ask writes an operation, as kubectl patch does.
func (e *engine) ask(name string, sync v1alpha1.SyncOperation) {
	e.t.Helper()
	e.change(name, func(app *v1alpha1.Application) {
		app.Operation = &v1alpha1.Operation{Sync: &sync, InitiatedBy: v1alpha1.OperationInitiator{Username: "ann"}}
	})
}

// endedAs reports whether what was asked for ended so, saying all the texts.
func endedAs(phase v1alpha1.OperationPhase, texts ...string) func(*v1alpha1.Application) bool {
	return func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		if app.Operation != nil || st == nil || st.Phase != phase || st.Operation.InitiatedBy.Username != "ann" {
			return false
		}
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(st.Message, text) })
	}
}

func byHand(app *v1alpha1.Application) { app.Spec.SyncPolicy = nil }

// sentNames are the objects of the last sync's result.
func sentNames(app *v1alpha1.Application) []string {
	var names []string
	for _, r := range app.Status.OperationState.SyncResult.Resources {
		names = append(names, r.Name)
	}
	return names
}

func TestOutOfSyncOnlyLeavesTheRestAlone(t *testing.T) {
	// The first wave never gets healthy, so a sync that counts it ends at it.
	e := start(t, map[string]string{"app/first.yaml": deployment("first", "0", neverReady), "app/second.yaml": waved("second", "1")})
	e.app("app", "app", byHand)
	e.ask("app", v1alpha1.SyncOperation{Resources: []v1alpha1.SyncOperationResource{{Group: "apps", Kind: "Deployment", Name: "first"}}})
	e.until("app", "with the first wave", endedAs(v1alpha1.OperationSucceeded))

	e.ask("app", v1alpha1.SyncOperation{SyncOptions: v1alpha1.SyncOptions{"ApplyOutOfSyncOnly=true"}})
	app := e.until("app", "synced without the first wave", func(app *v1alpha1.Application) bool {
		return endedAs(v1alpha1.OperationSucceeded)(app) && app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced
	})
	if got := sentNames(app); !slices.Equal(got, []string{"second"}) {
		t.Errorf("the result has %v, want the one object that differed", got)
	}
	e.ask("app", v1alpha1.SyncOperation{})
	e.until("app", "waiting for the first wave without the option", waitsFor("first"))
}

// TestOperationRendersItsOwnSources: what an operation names is what is deployed, with its
// path, its parameters, and as many sources as it has.
func TestOperationRendersItsOwnSources(t *testing.T) {
	const kustomization = "resources: [a.yaml]\n"
	e := start(t, map[string]string{
		"app/a.yaml": version("1"), "other/a.yaml": version("2"), "other/kustomization.yaml": kustomization,
		"more/a.yaml": strings.ReplaceAll(version("3"), "settings", "more"),
	})
	e.app("app", "app", byHand)
	e.until("app", "compared", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	other := v1alpha1.ApplicationSource{RepoURL: repoURL, Path: "other", TargetRevision: "HEAD", Kustomize: &v1alpha1.ApplicationSourceKustomize{CommonAnnotations: map[string]string{"by": "operation"}}}
	e.ask("app", v1alpha1.SyncOperation{Source: &other})
	e.until("app", "synced to another path", endedAs(v1alpha1.OperationSucceeded))
	got, err := e.configMap("settings")
	if err != nil || got.Data["version"] != "2" || got.Annotations["by"] != "operation" {
		t.Errorf("of another path with parameters of its own: %v, %v, %v", got.Data, got.Annotations, err)
	}
	app := e.until("app", "with its result", func(app *v1alpha1.Application) bool { return app.Operation == nil })
	if of := app.Status.OperationState.SyncResult.Source; of.Path != "other" {
		t.Errorf("the result names %q", of.Path)
	}
	e.ask("app", v1alpha1.SyncOperation{Sources: v1alpha1.ApplicationSources{{RepoURL: repoURL, Path: "app"}, {RepoURL: repoURL, Path: "more"}}})
	e.until("app", "synced to two sources", endedAs(v1alpha1.OperationSucceeded))
	got, err = e.configMap("more")
	if err != nil || got.Data["version"] != "3" {
		t.Errorf("of two sources, where the spec has one: %v, %v", got.Data, err)
	}
	e.untilVersion("settings", "1")
}

func TestRequestsThatNameWhatIsNotThere(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	e.app("app", "app", byHand)
	e.until("app", "compared", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})

	missing := strings.Repeat("ab", 20)
	e.ask("app", v1alpha1.SyncOperation{Revision: missing})
	app := e.until("app", "ended for want of the revision", endedAs(v1alpha1.OperationError, missing))
	if app.Status.Sync.Status != v1alpha1.SyncStatusCodeOutOfSync || condition(app, v1alpha1.ApplicationConditionComparisonError) != "" {
		t.Errorf("the application is blamed for the request: %+v %+v", app.Status.Sync.Status, app.Status.Conditions)
	}
	e.ask("app", v1alpha1.SyncOperation{Resources: []v1alpha1.SyncOperationResource{{Kind: "ConfigMap", Namespace: e.namespace, Name: "setings"}}})
	e.until("app", "ended for want of the object", endedAs(v1alpha1.OperationFailed, "the application has no", "did you mean", "/settings"))
	if _, err := e.configMap("settings"); !apierrors.IsNotFound(err) {
		t.Errorf("something was synced all the same: %v", err)
	}
	e.ask("app", v1alpha1.SyncOperation{
		SyncOptions: v1alpha1.SyncOptions{"PruneLst=true"},
		Resources:   []v1alpha1.SyncOperationResource{{Kind: "ConfigMap", Name: "settings"}, {Kind: "Secret", Name: "other"}},
	})
	e.until("app", "synced in part, telling what had no effect", endedAs(v1alpha1.OperationSucceeded, "PruneLst", "PruneLast", "has no /Secret:/other"))

	e.change("app", func(app *v1alpha1.Application) { app.Spec.Project = "nowhere" })
	e.ask("app", v1alpha1.SyncOperation{})
	e.until("app", "ended for want of the project", endedAs(v1alpha1.OperationError, "nowhere"))
}

func TestManifestsOfTheOperation(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": version("1")})
	e.app("app", "app", byHand)
	e.ask("app", v1alpha1.SyncOperation{})
	e.until("app", "good", good)

	e.ask("app", v1alpha1.SyncOperation{Manifests: []string{"kind: [", version("2")}})
	e.until("app", "refused for a manifest that cannot be read", endedAs(v1alpha1.OperationFailed, "manifest 1"))
	e.ask("app", v1alpha1.SyncOperation{Manifests: []string{"{apiVersion: v1, kind: ConfigMap, metadata: {name: big}, data: {x: " + strings.Repeat("x", maxTestManifest) + "}}"}})
	e.until("app", "refused for its size", endedAs(v1alpha1.OperationFailed, "KiB"))

	local := strings.ReplaceAll(version("2"), "settings", "extra")
	e.ask("app", v1alpha1.SyncOperation{Manifests: []string{version("2"), local}})
	e.untilVersion("settings", "2")
	e.untilVersion("extra", "2")
	app := e.until("app", "over, and OutOfSync with Git", func(app *v1alpha1.Application) bool {
		return endedAs(v1alpha1.OperationSucceeded)(app) && app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	if len(app.Status.History) != 1 {
		t.Errorf("what is in no source stands in the history: %+v", app.Status.History)
	}
	if st := app.Status.OperationState; len(st.Operation.Sync.Manifests) != 0 || st.SyncResult.Revision != "" || len(st.SyncResult.Resources) != 2 {
		t.Errorf("the state of the operation: %+v", st)
	}

	// The project counts as always.
	e.ask("app", v1alpha1.SyncOperation{Manifests: []string{strings.Replace(version("3"), "name: settings", "name: settings, namespace: elsewhere-"+e.namespace, 1)}})
	e.until("app", "failed in a namespace that is not there", endedAs(v1alpha1.OperationFailed))

	// An automated application takes them for a dry run alone. What Git says comes back.
	e.change("app", func(app *v1alpha1.Application) {
		app.Spec.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{}}
	})
	e.untilVersion("settings", "1")
	e.until("app", "synced by itself", func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return st.Operation.InitiatedBy.Automated && st.Phase == v1alpha1.OperationSucceeded
	})
	e.ask("app", v1alpha1.SyncOperation{Manifests: []string{version("4")}})
	e.until("app", "refused", endedAs(v1alpha1.OperationFailed, "automated sync"))
	e.ask("app", v1alpha1.SyncOperation{Manifests: []string{version("4")}, DryRun: true})
	e.until("app", "tried", endedAs(v1alpha1.OperationSucceeded, "nothing was changed"))
	e.untilVersion("settings", "1")
}

const maxTestManifest = 700 << 10

// TestKindThatComesAfterTheLastRetry applies an object of a kind that nobody
// has defined, gives up, and goes on when somebody else defines it.
func TestKindThatComesAfterTheLastRetry(t *testing.T) {
	e := start(t, nil)
	group := e.namespace + ".example.com"
	e.write("app/a.yaml", configMapV1)
	e.write("app/object.yaml", fmt.Sprintf(`
apiVersion: %s/v1
kind: Gadget
metadata: {name: mine, annotations: {argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}}
`, group))
	e.app("app", "app", noRetry)
	e.until("app", "failed for good", func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return st != nil && st.Phase == v1alpha1.OperationFailed
	})
	definition := unstructured.Unstructured{}
	if err := yaml.Unmarshal(fmt.Appendf(nil, gadgetDefinition, group), &definition.Object); err != nil {
		t.Fatal(err)
	}
	if err := e.Create(t.Context(), &definition); err != nil {
		t.Fatal(err)
	}
	e.until("app", "good", good)
}

const gadgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets, singular: gadget, listKind: GadgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// TestStatusThatCounts has a custom resource without a status of its own: what
// is in Git of it counts where the installation says so.
func TestStatusThatCounts(t *testing.T) {
	e := start(t, nil)
	group := e.namespace + ".example.com"
	e.write("app/definition.yaml", fmt.Sprintf(gadgetDefinition, group))
	e.write("app/object.yaml", fmt.Sprintf("apiVersion: %s/v1\nkind: Gadget\nmetadata: {name: mine}\nstatus: {mode: calm}\n", group))
	e.app("app", "app", noSelfHeal)
	e.until("app", "good", good)
	gadget := &unstructured.Unstructured{}
	gadget.SetAPIVersion(group + "/v1")
	gadget.SetKind("Gadget")
	gadget.SetNamespace(e.namespace)
	gadget.SetName("mine")
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status": {"mode": "wild"}}`))
	if err := e.Patch(t.Context(), gadget, patch); err != nil {
		t.Fatal(err)
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: v1alpha1.SettingsName}}
	cm.Data = map[string]string{"resource.compareoptions": "ignoreResourceStatusField: crd"}
	if err := e.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	outOfSync := func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	}
	e.until("app", "OutOfSync where the status of definitions alone is ignored", outOfSync)
	for _, mode := range []string{"all", "none"} {
		before := cm.DeepCopy()
		cm.Data["resource.compareoptions"] = "ignoreResourceStatusField: " + mode
		if err := e.Patch(t.Context(), cm, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		if mode == "all" {
			e.until("app", "Synced where no status counts", func(app *v1alpha1.Application) bool { return !outOfSync(app) && good(app) })
			continue
		}
		e.until("app", "OutOfSync where each status counts", outOfSync)
	}
}

func TestMergedObjectIsToldInACondition(t *testing.T) {
	plain := deployment("web", "0", "")
	twice := strings.Replace(plain, "image: registry.example.com/web}", "image: registry.example.com/web, ports: [{containerPort: 53, name: a}, {containerPort: 53, name: b}]}", 1)
	e := start(t, map[string]string{"app/web.yaml": twice})
	e.app("app", "app")
	told := func(app *v1alpha1.Application) string {
		return condition(app, v1alpha1.ApplicationConditionMergedResourceWarning)
	}
	e.until("app", "good, with a warning", func(app *v1alpha1.Application) bool { return good(app) && strings.Contains(told(app), "web") })
	e.write("app/web.yaml", strings.Replace(twice, "name: a}, {containerPort: 53", "name: a}, {containerPort: 54", 1))
	e.until("app", "good, without the warning", func(app *v1alpha1.Application) bool { return good(app) && told(app) == "" })
}
