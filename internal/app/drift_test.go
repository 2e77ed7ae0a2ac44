package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// words is a ConfigMap whose keys people change in these tests.
const words = `{apiVersion: v1, kind: ConfigMap, metadata: {name: words}, data: {one: git, two: git, rev: "1"}}`

// edit changes the data of a ConfigMap as a person with a client would.
func (e *engine) edit(name, manager string, data map[string]string) {
	e.t.Helper()
	cm, err := e.configMap(name)
	if err != nil {
		e.t.Fatal(err)
	}
	before := cm.DeepCopy()
	for key, value := range data {
		cm.Data[key] = value
	}
	if err := e.Patch(e.t.Context(), cm, client.MergeFrom(before), client.FieldOwner(manager)); err != nil {
		e.t.Fatal(err)
	}
}

// untilData waits until a ConfigMap holds values.
func (e *engine) untilData(name string, want map[string]string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		cm, err := e.configMap(name)
		if err != nil {
			return err
		}
		for key, value := range want {
			if cm.Data[key] != value {
				return fmt.Errorf("%s is %q, want %q", key, cm.Data[key], value)
			}
		}
		return nil
	})
}

func drift(text string) func(*v1alpha1.Application) {
	return func(app *v1alpha1.Application) { app.Annotations = map[string]string{gitops.AnnotationDrift: text} }
}

func tells(parts ...string) func(*v1alpha1.Application) bool {
	return func(app *v1alpha1.Application) bool {
		text := condition(app, v1alpha1.ApplicationConditionDriftWarning)
		for _, part := range parts {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	}
}

func TestDriftIsShownAndLeftUntilASync(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": words})
	e.app("plain", "plain", drift("show"))
	e.until("plain", "good", good)
	e.edit("words", "kubectl-edit", map[string]string{"one": "hand"})
	app := e.until("plain", "OutOfSync and telling who", tells("data.one", "kubectl-edit", "shown only"))
	if app.Status.Sync.Status != v1alpha1.SyncStatusCodeOutOfSync {
		t.Errorf("the application is %s, want OutOfSync", app.Status.Sync.Status)
	}
	e.write("plain/a.yaml", strings.Replace(words, `rev: "1"`, `rev: "2"`, 1))
	e.untilData("words", map[string]string{"one": "git", "rev": "2"})
	e.until("plain", "without drift", func(app *v1alpha1.Application) bool { return good(app) && !tells("data.one")(app) })
}

// handmade are fields that people change, and change back: after that they are
// not the engine's any more.
var handmade = map[string]struct {
	reason   string
	manifest string
	patch    string // VALUE is git's where the field is as desired
	git      string
	change   func(*v1alpha1.Application)
}{
	"Field": {reason: "a field", manifest: words, patch: `{"data":{"one":"VALUE"}}`, git: "git"},
	"Label": {
		reason:   "a label",
		manifest: `{apiVersion: v1, kind: ConfigMap, metadata: {name: words, labels: {team: git}}}`,
		patch:    `{"metadata":{"labels":{"team":"VALUE"}}}`, git: "git",
	},
	"Element": {
		reason:   "a field of an element of a list with keys",
		manifest: `{apiVersion: v1, kind: Service, metadata: {name: words}, spec: {ports: [{name: a, port: 80}, {name: b, port: 81, targetPort: git}]}}`,
		patch:    `{"spec":{"ports":[{"port":81,"targetPort":"VALUE"}]}}`, git: "git",
	},
	"NoDryRun": {
		reason: "a field of an object that is compared without a dry run", manifest: words, patch: `{"data":{"one":"VALUE"}}`, git: "git",
		change: func(app *v1alpha1.Application) {
			app.Annotations = map[string]string{gitops.AnnotationCompare: "ServerSideDiff=false"}
		},
	},
}

// by writes to an object as a person with a client would.
func (e *engine) by(manager, manifest, patch string) {
	e.t.Helper()
	o := decoded(e.t, manifest)[0]
	o.SetNamespace(e.namespace)
	if err := e.Patch(e.t.Context(), o, client.RawPatch(types.StrategicMergePatchType, []byte(patch)), client.FieldOwner(manager)); err != nil {
		e.t.Fatal(err)
	}
}

func TestDriftThatIsUndone(t *testing.T) {
	outOfSync := func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	}
	for name, c := range handmade {
		t.Run(name, func(t *testing.T) {
			e := start(t, map[string]string{"app/a.yaml": c.manifest})
			e.app("app", "app", noSelfHeal, func(app *v1alpha1.Application) {
				if c.change != nil {
					c.change(app)
				}
			})
			set := func(manager, value string) { e.by(manager, c.manifest, strings.ReplaceAll(c.patch, "VALUE", value)) }
			e.until("app", "Synced", good)
			for range 2 {
				set("ann", "by-hand")
				e.until("app", "OutOfSync: "+c.reason, outOfSync)
				set("bob", "by-others")
				set("bob", c.git)
				e.until("app", "Synced again: "+c.reason, good)
			}
			// A sync makes the field the engine's again, so that it goes with Git.
			e.write("app/b.yaml", strings.Replace(configMapV1, "name: ", "name: more-", 1))
			e.untilOurs(c.manifest)
			e.until("app", "Synced with what is new", good)
		})
	}
}

// untilOurs waits until the engine alone owns what is in a manifest.
func (e *engine) untilOurs(manifest string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		o := decoded(e.t, manifest)[0]
		if err := e.Get(ctx, placeOf(o, e.namespace), o); err != nil {
			return err
		}
		wanted, err := difference.Written(decoded(e.t, manifest)[0], o)
		if err != nil {
			return err
		}
		ours, err := difference.Applied(o, gitops.FieldManager)
		if err != nil {
			return err
		}
		if lacks := wanted.Difference(ours); !lacks.Empty() {
			return fmt.Errorf("the engine does not own %s", lacks)
		}
		return nil
	})
}

// TestDriftOfAFieldThatWasTakenOver lets people change fields, and change them
// back, while no engine looks. One that remembers nothing finds all as desired,
// and undoes what is changed after that.
func TestDriftOfAFieldThatWasTakenOver(t *testing.T) {
	for name, c := range handmade {
		t.Run(name, func(t *testing.T) {
			e := prepare(t, hubConfig, map[string]string{"app/a.yaml": c.manifest})
			stop := e.restart()
			e.app("app", "app", func(app *v1alpha1.Application) {
				if c.change != nil {
					c.change(app)
				}
			})
			set := func(value string) { e.by("ann", c.manifest, strings.ReplaceAll(c.patch, "VALUE", value)) }
			e.until("app", "Synced", good)
			stop()
			set("by-hand")
			set(c.git)
			e.restart()
			e.change("app", func(app *v1alpha1.Application) {
				if app.Annotations == nil {
					app.Annotations = map[string]string{}
				}
				app.Annotations[v1alpha1.AnnotationRefresh] = string(v1alpha1.RefreshTypeHard)
			})
			e.until("app", "compared anew", func(app *v1alpha1.Application) bool {
				return app.Annotations[v1alpha1.AnnotationRefresh] == "" && good(app)
			})
			for range 2 {
				set("by-hand")
				e.untilOurs(c.manifest)
				e.until("app", "healed: "+c.reason, good)
			}
		})
	}
}

func TestDriftIsFrozenAlsoInASync(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": words})
	e.app("plain", "plain", drift("[{kind: ConfigMap, field: /data/one, policy: freeze}]"))
	e.until("plain", "good", good)
	e.edit("words", "kubectl-edit", map[string]string{"one": "hand"})
	e.until("plain", "Synced and telling what is frozen", func(app *v1alpha1.Application) bool {
		return good(app) && tells("data.one", "kubectl-edit", "frozen")(app)
	})
	// Git goes on: what is frozen stays, what is not is synced and healed.
	e.write("plain/a.yaml", strings.NewReplacer(`rev: "1"`, `rev: "2"`, "one: git", "one: newer").Replace(words))
	e.untilData("words", map[string]string{"one": "hand", "rev": "2"})
	e.edit("words", "kubectl-edit", map[string]string{"two": "hand"})
	e.untilData("words", map[string]string{"one": "hand", "two": "git"})
	e.until("plain", "still telling what is frozen", func(app *v1alpha1.Application) bool { return good(app) && tells("data.one", "frozen")(app) })
	// Without the policy, Git wins again.
	e.change("plain", func(app *v1alpha1.Application) { app.Annotations = nil })
	e.untilData("words", map[string]string{"one": "newer"})
}

func TestDriftIsHealedWhereOneFieldIsOnlyShown(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": words})
	e.app("plain", "plain", drift("[{policy: heal}, {field: /data/one, policy: show}]"), func(app *v1alpha1.Application) {
		no := false
		app.Spec.SyncPolicy.Automated.SelfHeal = &no
	})
	e.until("plain", "good", good)
	e.edit("words", "kubectl-edit", map[string]string{"one": "hand", "two": "hand"})
	e.untilData("words", map[string]string{"one": "hand", "two": "git"})
	e.until("plain", "telling what is shown", tells("data.one", "shown only"))
	var events corev1.EventList
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := e.List(ctx, &events, client.InNamespace(e.namespace)); err != nil {
			return err
		}
		for _, event := range events.Items {
			if event.Reason == "DriftHealed" && strings.Contains(event.Message, "data.two") {
				return nil
			}
		}
		return errors.New("no event tells what was healed")
	})
}

func TestDriftPolicyThatIsNone(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": words})
	e.app("plain", "plain", drift("frezee"))
	app := e.until("plain", "refused", func(app *v1alpha1.Application) bool {
		return condition(app, v1alpha1.ApplicationConditionComparisonError) != ""
	})
	if text := condition(app, v1alpha1.ApplicationConditionComparisonError); !strings.Contains(text, `"freeze"`) {
		t.Errorf("the condition does not name the nearest policy: %s", text)
	}
	if _, err := e.configMap("words"); err == nil {
		t.Error("an object was written although the policy cannot be read")
	}
	e.change("plain", func(app *v1alpha1.Application) { app.Annotations = nil })
	e.until("plain", "good", good)
}

const webDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {}, labels: {app: web}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: registry.example.com/web:1, resources: {requests: {cpu: 1000m, memory: 1024Mi}}}]
`

// scale sets replicas as an autoscaler does, by a manager of its own.
func (e *engine) scale(name string, replicas int32) {
	e.t.Helper()
	d := &appsv1.Deployment{}
	if err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, d); err != nil {
		e.t.Fatal(err)
	}
	before := d.DeepCopy()
	d.Spec.Replicas = &replicas
	if err := e.Patch(e.t.Context(), d, client.MergeFrom(before), client.FieldOwner("autoscaler")); err != nil {
		e.t.Fatal(err)
	}
}

func (e *engine) replicas(name string) int32 {
	e.t.Helper()
	d := &appsv1.Deployment{}
	if err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, d); err != nil {
		e.t.Fatal(err)
	}
	return *d.Spec.Replicas
}

// synced reports whether nothing differs; health is not waited for, as the control
// plane may have no nodes.
func synced(app *v1alpha1.Application) bool {
	return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && app.Status.OperationState != nil && app.Status.OperationState.Phase.Completed()
}

func TestIgnoredDifferencesInAllForms(t *testing.T) {
	forms := map[string]struct {
		reason string
		own    v1alpha1.IgnoreDifferences
		data   map[string]string
		object string
	}{
		"Pointer":  {reason: "a JSON pointer", own: v1alpha1.IgnoreDifferences{{Group: "apps", Kind: "Deployment", JSONPointers: []string{"/spec/replicas"}}}},
		"JQ":       {reason: "a jq path", own: v1alpha1.IgnoreDifferences{{Group: "*", Kind: "Deployment", JQPathExpressions: []string{".spec | select(.replicas > 1) | .replicas"}}}},
		"Managers": {reason: "a manager's fields", own: v1alpha1.IgnoreDifferences{{Group: "apps", Kind: "*", ManagedFieldsManagers: []string{"autoscaler"}}}},
		"Everywhere": {
			reason: "the installation's rules",
			data:   map[string]string{"resource.customizations.ignoreDifferences.apps_Deployment": "jsonPointers: [/spec/replicas]"},
		},
		"Object": {reason: "an annotation of the object", object: `argocd.argoproj.io/ignore-differences: 'jsonPointers: [/spec/replicas]'`},
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			manifest := strings.Replace(webDeployment, "annotations: {}", "annotations: {"+form.object+"}", 1)
			e := prepare(t, hubConfig, map[string]string{"plain/a.yaml": manifest})
			if form.data != nil {
				cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName, Namespace: e.namespace}, Data: form.data}
				if err := e.Create(t.Context(), cm); err != nil {
					t.Fatal(err)
				}
			}
			e.restart()
			e.app("plain", "plain", func(app *v1alpha1.Application) {
				app.Spec.IgnoreDifferences = form.own
				app.Spec.SyncPolicy.SyncOptions = v1alpha1.SyncOptions{"RespectIgnoreDifferences=true"}
			})
			e.until("plain", "synced", synced)
			e.scale("web", 3)
			// A change of Git shows that the engine has looked since.
			e.write("plain/a.yaml", strings.Replace(manifest, "web:1", "web:2", 1))
			embeddedtest.Eventually(t, func(ctx context.Context) error {
				d := &appsv1.Deployment{}
				if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "web"}, d); err != nil {
					return err
				}
				if image := d.Spec.Template.Spec.Containers[0].Image; !strings.HasSuffix(image, "web:2") {
					return fmt.Errorf("image is %s", image)
				}
				return nil
			})
			e.until("plain", "synced again", synced)
			if got := e.replicas("web"); got != 3 {
				t.Errorf("%s: %d replicas, want the 3 that are ignored", form.reason, got)
			}
		})
	}
}

func TestInstallationRulesTakeEffectAtOnce(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": webDeployment, "plain/b.yaml": words})
	e.app("plain", "plain", func(app *v1alpha1.Application) {
		no := false
		app.Spec.SyncPolicy.Automated.SelfHeal = &no
	})
	e.until("plain", "synced", synced)
	e.scale("web", 3)
	outOfSync := func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	}
	e.until("plain", "OutOfSync", outOfSync)
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName, Namespace: e.namespace}, Data: map[string]string{
		"resource.customizations": "apps/Deployment:\n  ignoreDifferences: |\n    jqPathExpressions: [.spec.replicas]\n",
	}}
	if err := e.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	e.until("plain", "synced by the rule", synced)

	set := func(key, value string) {
		before := cm.DeepCopy()
		cm.Data = map[string]string{key: value}
		if err := e.Patch(t.Context(), cm, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
	set("resource.exclusions", "- kinds: [Deployment]\n  apiGroups: ['*']\n  clusters: ['*']\n")
	app := e.until("plain", "without the excluded kind", func(app *v1alpha1.Application) bool {
		return synced(app) && condition(app, v1alpha1.ApplicationConditionExcludedResourceWarning) != ""
	})
	if len(app.Status.Resources) != 1 {
		t.Errorf("%d objects are listed, want the one that is not excluded: %v", len(app.Status.Resources), app.Status.Resources)
	}
	if got := e.replicas("web"); got != 3 {
		t.Errorf("the excluded object was written: %d replicas", got)
	}
	set("resource.customizations.ignoreDifferences.all", "jqPathExpressions: ['.a[']")
	app = e.until("plain", "refused", func(app *v1alpha1.Application) bool {
		return strings.Contains(condition(app, v1alpha1.ApplicationConditionComparisonError), ".a[")
	})
	if app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced {
		t.Error("an application that cannot be compared is shown as Synced")
	}
	set("resource.customizations.ignoreDifferences.all", "jqPathExpressions: ['.a']")
	e.until("plain", "compared again", outOfSync)
}

func TestComparedWithoutADryRun(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": webDeployment})
	e.app("plain", "plain", func(app *v1alpha1.Application) {
		app.Annotations = map[string]string{gitops.AnnotationCompare: "ServerSideDiff=false"}
		no := false
		app.Spec.SyncPolicy.Automated.SelfHeal = &no
	})
	e.until("plain", "synced", synced)
	e.scale("web", 3)
	e.until("plain", "OutOfSync", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	e.scale("web", 1)
	e.until("plain", "synced again", synced)
}
