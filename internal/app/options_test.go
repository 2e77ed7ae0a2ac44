package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// options are sync options of the Application.
func options(list ...string) func(*v1alpha1.Application) {
	return func(app *v1alpha1.Application) { app.Spec.SyncPolicy.SyncOptions = list }
}

// optioned fills in a text's name, and its sync options as an annotation.
func optioned(text, name, option string) string {
	return strings.NewReplacer("NAME", name, "OPTION", fmt.Sprintf("%s: %q", gitops.AnnotationSync, option)).Replace(text)
}

// Objects with a field that cannot change.
const (
	fixedConfig  = "{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME, annotations: {OPTION}}, immutable: true, data: {value: '10.96.77.1'}}"
	fixedService = "{apiVersion: v1, kind: Service, metadata: {name: NAME, annotations: {OPTION}}, spec: {clusterIP: '10.96.77.1', ports: [{port: 80}]}}"
	fixedJob     = "{apiVersion: batch/v1, kind: Job, metadata: {name: NAME, annotations: {OPTION}}, spec: {suspend: true, " +
		"template: {spec: {restartPolicy: Never, containers: [{name: a, image: registry.example.com/a, command: ['10.96.77.1']}]}}}}"
)

// TestWhatCannotBeChanged carries out a change only where the options allow
// to delete the object first, wherever they are written.
func TestWhatCannotBeChanged(t *testing.T) {
	cases := map[string]struct {
		reason, text, object, app string
		// refused are the words of a refusal; none where the object is made anew.
		refused []string
	}{
		"none":    {"without an option it is explained", fixedConfig, "", "", []string{"cannot be changed: data.value (", "Force=true"}},
		"replace": {"Replace changes it no more than an apply", fixedJob, "Replace=true", "", []string{"spec.template", "Force=true"}},
		"force":   {"Force deletes what cannot be changed", fixedConfig, "Force=true", "", nil},
		"both":    {"with Replace, too", fixedService, "Replace=true,Force=true", "", nil},
		"all":     {"the Application's options hold for each object", fixedJob, "", "Replace=true,Force=true", nil},
		"not":     {"but for one that says otherwise", fixedConfig, "Force=false", "Force=true", []string{"data.value", "Force=true"}},
	}
	e := start(t, nil)
	kinds := map[string]schema.GroupVersionKind{}
	for name, tc := range cases {
		e.write(name+"/a.yaml", optioned(tc.text, name, tc.object))
		e.app(name, name, noRetry, options(strings.Split(tc.app, ",")...))
		kinds[name] = decoded(t, tc.text)[0].GroupVersionKind()
	}
	before := map[string]types.UID{}
	for name, tc := range cases {
		e.until(name, "synced", succeeded)
		before[name] = e.read(kinds[name], name).GetUID()
		e.write(name+"/a.yaml", strings.ReplaceAll(optioned(tc.text, name, tc.object), "77.1", "77.2"))
	}
	for name, tc := range cases {
		if tc.refused == nil {
			e.until(name, "synced again: "+tc.reason, func(app *v1alpha1.Application) bool { return succeeded(app) && len(app.Status.History) == 2 })
		} else {
			e.until(name, "refused: "+tc.reason, complains(v1alpha1.ApplicationConditionSyncError, tc.refused...))
		}
		o := e.read(kinds[name], name)
		if anew := o.GetUID() != before[name]; anew != (tc.refused == nil) {
			t.Errorf("%s: the object was made anew: %t", tc.reason, anew)
		}
		if changed := strings.Contains(fmt.Sprint(o.Object["data"], o.Object["spec"]), "77.2"); changed != (tc.refused == nil) {
			t.Errorf("%s: the object was changed: %t", tc.reason, changed)
		}
	}
}

// TestWhoseFieldsGo lets another tool make each object, with a key that Git
// does not have, and tells what is left of it.
func TestWhoseFieldsGo(t *testing.T) {
	const (
		text    = "{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME, annotations: {OPTION}}, data: {color: blue}}"
		kubectl = "kubectl-client-side-apply"
	)
	cases := map[string]struct {
		reason, manager, object string
		app                     []string
		stays                   bool
	}{
		"kubectl":  {"fields of kubectl apply are taken over", kubectl, "", nil, false},
		"kept":     {"ClientSideApplyMigration=false leaves them", kubectl, "", []string{"ClientSideApplyMigration=false"}, true},
		"annotate": {"also as an annotation", kubectl, "ClientSideApplyMigration=false", nil, true},
		"other":    {"others keep theirs", "some-tool", "", nil, true},
		"named":    {"but for the one that the Application names", "some-tool", "", nil, false},
		"replace":  {"Replace takes away all that Git does not have", "some-tool", "Replace=true", nil, false},
		"replaces": {"also as the Application's option", "some-tool", "", []string{"Replace=true"}, false},
	}
	e := start(t, nil)
	for name, tc := range cases {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: name}, Data: map[string]string{"color": "red", "extra": "x"}}
		if err := e.Create(t.Context(), cm, client.FieldOwner(tc.manager)); err != nil {
			t.Fatal(err)
		}
		e.write(name+"/a.yaml", optioned(text, name, tc.object))
		e.app(name, name, options(tc.app...), func(app *v1alpha1.Application) {
			if name == "named" {
				annotate(app, v1alpha1.AnnotationClientSideApplyMigrationManager, tc.manager)
			}
		})
	}
	for name, tc := range cases {
		e.until(name, "good", good)
		cm, err := e.configMap(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, stays := cm.Data["extra"]; stays != tc.stays || cm.Data["color"] != "blue" {
			t.Errorf("%s: the data are %v", tc.reason, cm.Data)
		}
	}
}

// TestUnknownFieldsAndKinds tells what Validate and
// SkipDryRunOnMissingResource let pass.
func TestUnknownFieldsAndKinds(t *testing.T) {
	const service = "{apiVersion: v1, kind: Service, metadata: {name: NAME, annotations: {OPTION}}, spec: {port: 8080, ports: [{port: 80}]}}"
	e := start(t, map[string]string{
		"strict/a.yaml": optioned(service, "strict", ""),
		"loose/a.yaml":  optioned(service, "loose", "Validate=false"),
	})
	for _, name := range []string{"strict", "loose"} {
		e.app(name, name)
		app := e.until(name, "good without the field that there is not", good)
		if text := app.Status.OperationState.SyncResult.Resources[0].Message; !strings.Contains(text, ".spec.port") {
			t.Errorf("%s: the result does not tell what was left out: %s", name, text)
		}
	}
	// The definition comes from elsewhere, once the first wave is there.
	gadget := e.here("{apiVersion: NAMESPACE.example.com/v1, kind: Widget, metadata: {name: NAME, annotations: {argocd.argoproj.io/sync-wave: '1', OPTION}}}")
	for name, option := range map[string]string{"plain": "", "skips": "SkipDryRunOnMissingResource=true"} {
		e.write(name+"/a.yaml", strings.ReplaceAll(configMapV1, "settings", name))
		e.write(name+"/b.yaml", optioned(gadget, name, option))
		e.app(name, name)
	}
	e.untilVersion("skips", "1")
	e.until("plain", "refused before anything was done", func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return st != nil && strings.Contains(st.Message, "SkipDryRunOnMissingResource=true")
	})
	if _, err := e.configMap("plain"); err == nil {
		t.Error("the first wave was applied although the second one cannot be")
	}
	if err := e.Create(t.Context(), decoded(t, e.here(widgetDefinition))[0]); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain", "skips"} {
		e.until(name, "good with the definition", good)
	}
}

// TestSharedObjects tells of FailOnSharedResource as the Application's option
// and as an annotation.
func TestSharedObjects(t *testing.T) {
	const text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: shared, annotations: {OPTION}}, data: {of: NAME}}"
	e := start(t, map[string]string{
		"first/a.yaml":    optioned(text, "first", ""),
		"option/a.yaml":   optioned(text, "option", ""),
		"annotate/a.yaml": optioned(text, "annotate", "FailOnSharedResource=true"),
	})
	e.app("first", "first")
	e.until("first", "good", good)
	e.app("option", "option", noRetry, options("FailOnSharedResource=true"))
	e.app("annotate", "annotate", noRetry)
	for _, name := range []string{"option", "annotate"} {
		e.until(name, "refused", complains(v1alpha1.ApplicationConditionSyncError, e.id(name), e.id("first"), name+"/a.yaml", "FailOnSharedResource"))
	}
	e.untilData("shared", map[string]string{"of": "first"})
	e.delete("annotate") // it would want what becomes free, too
	e.untilData("shared", map[string]string{"of": "first"})
	e.remove("first/a.yaml")
	e.write("first/b.yaml", configMapV1)
	// It is left to the other one, which it does not keep from it.
	e.until("first", "without what it shared", func(app *v1alpha1.Application) bool {
		return slices.ContainsFunc(app.Status.Resources, func(r v1alpha1.ResourceStatus) bool { return r.Name == "shared" && r.RequiresPruning })
	})
	e.untilData("shared", map[string]string{"of": "first"})
	e.ask("option", v1alpha1.SyncOperation{SyncOptions: v1alpha1.SyncOptions{"FailOnSharedResource=true"}})
	e.untilData("shared", map[string]string{"of": "option"})
	e.until("first", "good", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.Resources) == 1 })
}

// TestCreatedNamespace follows managedNamespaceMetadata through a change, a
// key that goes, and the deletion of the Application.
func TestCreatedNamespace(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	name := e.namespace + "-made"
	managed := func(labels, annotations map[string]string) func(*v1alpha1.Application) {
		return func(app *v1alpha1.Application) {
			app.Spec.SyncPolicy.ManagedNamespaceMetadata = &v1alpha1.ManagedNamespaceMetadata{Labels: labels, Annotations: annotations}
		}
	}
	e.app("app", "app", options("CreateNamespace=true"), managed(map[string]string{"team": "red", "tier": "web"}, map[string]string{"owner": "ann"}),
		func(app *v1alpha1.Application) { app.Spec.Destination.Namespace = name })
	e.until("app", "good", good)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	untilMarked := func(labels map[string]string, owner string) {
		t.Helper()
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			if err := e.Get(ctx, client.ObjectKeyFromObject(ns), ns); err != nil {
				return err
			}
			for _, key := range []string{"team", "tier", "others"} {
				if ns.Labels[key] != labels[key] {
					return fmt.Errorf("the labels are %v", ns.Labels)
				}
			}
			if ns.Annotations["owner"] != owner {
				return fmt.Errorf("the annotations are %v", ns.Annotations)
			}
			return nil
		})
	}
	untilMarked(map[string]string{"team": "red", "tier": "web"}, "ann")
	was := ns.DeepCopy()
	ns.Labels["others"] = "x"
	if err := e.Patch(t.Context(), ns, client.MergeFrom(was)); err != nil {
		t.Fatal(err)
	}
	// A change of the spec alone starts no sync; the next one carries it out.
	e.change("app", managed(map[string]string{"team": "blue"}, nil))
	e.write("app/a.yaml", version("2"))
	untilMarked(map[string]string{"team": "blue", "others": "x"}, "")
	app := e.until("app", "good again", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.History) == 2 })
	if len(app.Status.Resources) != 1 {
		t.Errorf("the Namespace counts as an object of the Application: %+v", app.Status.Resources)
	}
	e.delete("app")
	e.untilDeleted("app")
	if err := e.Get(t.Context(), client.ObjectKeyFromObject(ns), ns); err != nil || ns.DeletionTimestamp != nil {
		t.Errorf("the Namespace went with the Application: %v", err)
	}
}

// TestPropagation tells what becomes of what a pruned object owns. A finalizer
// on the owned object makes the three visible, however fast they are.
func TestPropagation(t *testing.T) {
	const (
		owner = "{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME, annotations: {OPTION}}}"
		hold  = "example.com/hold"
	)
	cases := map[string]struct {
		reason, object string
		app            []string
		// ownerGoes tells that the owner does not wait for what it owns, and owned that this goes, too.
		ownerGoes, ownedGoes bool
	}{
		"default":    {"the owned object goes first", "", nil, false, true},
		"background": {"the owner goes first", "PrunePropagationPolicy=background", nil, true, true},
		"orphan":     {"the owned object stays", "PrunePropagationPolicy=orphan", nil, true, false},
		"spec":       {"the Application's option", "", []string{"PrunePropagationPolicy=background"}, true, true},
		"nearest":    {"the object's own wins", "PrunePropagationPolicy=foreground", []string{"PrunePropagationPolicy=orphan"}, false, true},
	}
	e := start(t, nil)
	for name, tc := range cases {
		e.write(name+"/a.yaml", optioned(owner, name, tc.object))
		e.write(name+"/b.yaml", marked(name+"-stays", ""))
		e.app(name, name, options(tc.app...))
	}
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	for name := range cases {
		e.until(name, "good", good)
		blocks := true
		e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name + "-owned", Finalizers: []string{hold}, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: e.read(gvk, name).GetUID(), BlockOwnerDeletion: &blocks},
		}}})
		e.remove(name + "/a.yaml")
	}
	for name, tc := range cases {
		embeddedtest.Eventually(t, func(context.Context) error {
			_, err := e.configMap(name)
			owned, ownedErr := e.configMap(name + "-owned")
			switch {
			case ownedErr != nil:
				return ownedErr
			case (client.IgnoreNotFound(err) == nil && err != nil) != tc.ownerGoes:
				return fmt.Errorf("%s: looking for the owner: %w", tc.reason, errors.Join(err, errors.New("not as it should be")))
			case (owned.DeletionTimestamp != nil) != tc.ownedGoes, !tc.ownedGoes && len(owned.OwnerReferences) > 0:
				return fmt.Errorf("%s: the owned object is %+v", tc.reason, owned.ObjectMeta)
			}
			return nil
		})
		e.hold(name + "-owned")
	}
	for name := range cases {
		e.until(name, "good without the object", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.Resources) == 1 })
	}
}

// TestPruneWaitsForAPersonsWord lets a sync with a prune that asks first wait,
// with all that it would do, until the annotation says so.
func TestPruneWaitsForAPersonsWord(t *testing.T) {
	asks := func(name, option string) string { return marked(name, gitops.AnnotationSync+": "+option) }
	e := start(t, map[string]string{
		"app/a.yaml": version("1"), "app/b.yaml": asks("precious", "Prune=confirm"), "all/a.yaml": marked("kept", ""), "all/b.yaml": marked("asked", ""),
	})
	e.app("app", "app")
	e.app("all", "all", options("Prune=confirm"))
	for app, name := range map[string]string{"app": "precious", "all": "asked"} {
		e.until(app, "good", good)
		e.remove(app + "/b.yaml")
		e.until(app, "waiting for a person", waitsFor(name))
	}
	e.write("app/a.yaml", version("2"))
	app := e.until("app", "waiting with the newer revision", func(app *v1alpha1.Application) bool {
		return waitsFor("precious")(app) && slices.ContainsFunc(app.Status.Resources, func(r v1alpha1.ResourceStatus) bool {
			return r.Name == "settings" && r.Status == v1alpha1.SyncStatusCodeOutOfSync
		})
	})
	if !containsAll(app.Status.OperationState.Message, []string{"causeway approve", v1alpha1.AnnotationDeletionApproved}) {
		t.Errorf("it does not tell what to do: %s", app.Status.OperationState.Message)
	}
	if !slices.ContainsFunc(app.Status.Resources, func(r v1alpha1.ResourceStatus) bool {
		return r.Name == "precious" && r.RequiresPruning && r.RequiresDeletionConfirmation
	}) {
		t.Errorf("the status does not show what asks: %+v", app.Status.Resources)
	}
	confirm := func(name string, add int) {
		e.change(name, func(app *v1alpha1.Application) {
			at := app.Status.OperationState.StartedAt.UTC().AddDate(0, 0, add)
			annotate(app, v1alpha1.AnnotationDeletionApproved, at.Format(time.RFC3339))
			annotate(app, v1alpha1.AnnotationRefresh, string(v1alpha1.RefreshTypeNormal))
		})
		e.until(name, "looked at again", func(app *v1alpha1.Application) bool { return app.Annotations[v1alpha1.AnnotationRefresh] == "" })
	}
	confirm("app", -1) // a word of before is not about this sync
	e.untilVersion("settings", "1")
	for _, name := range []string{"precious", "asked"} {
		if cm, err := e.configMap(name); err != nil || cm.DeletionTimestamp != nil {
			t.Errorf("%s went before anybody confirmed it: %v", name, err)
		}
	}
	for app, name := range map[string]string{"app": "precious", "all": "asked"} {
		confirm(app, 0)
		e.until(app, "good without "+name, func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.Resources) == 1 })
	}
	e.untilVersion("settings", "2")
}
