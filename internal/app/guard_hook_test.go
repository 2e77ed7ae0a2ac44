package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/policy/approval"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// hooked is a ConfigMap that is a hook.
func hooked(name, phase, policy string) string {
	return marked(name, fmt.Sprintf("argocd.argoproj.io/hook: %s, argocd.argoproj.io/hook-delete-policy: %s", phase, policy))
}

// TestWhatBecomesAHookIsHeld has a commit that makes hooks of most objects: their delete policy would delete them for good.
// Hooks of before, which are made anew by each sync, are no deletions.
func TestWhatBecomesAHookIsHeld(t *testing.T) {
	e := start(t, many(0, 10))
	for i := range 8 {
		e.write(fmt.Sprintf("app/hook-%d.yaml", i), hooked(fmt.Sprintf("hook-%d", i), "PreSync", "BeforeHookCreation"))
	}
	e.write("app/keep.yaml", strings.ReplaceAll(configMapV1, "settings", "keep"))
	e.app("app", "app")
	e.until("app", "good", good)
	first, err := e.configMap("hook-0")
	if err != nil {
		t.Fatal(err)
	}
	e.write("app/keep.yaml", strings.ReplaceAll(strings.ReplaceAll(configMapV1, "settings", "keep"), `"1"`, `"2"`))
	e.untilVersion("keep", "2")
	e.until("app", "good with its hooks made anew", good)
	if again, err := e.configMap("hook-0"); err != nil || again.UID == first.UID {
		t.Errorf("the usual hook was not made anew: %v", err)
	}
	e.atOnce(func() {
		e.write("app/keep.yaml", strings.ReplaceAll(strings.ReplaceAll(configMapV1, "settings", "keep"), `"1"`, `"3"`))
		for i := range 10 {
			e.write(fmt.Sprintf("app/%02d.yaml", i), hooked(fmt.Sprintf("cm-%02d", i), "PostSync", "HookSucceeded"))
		}
	})
	app := e.says("app", heldError, "10 objects", "cm-00", "causeway approve "+e.id("app"))
	if got := e.left(); got != 10 {
		t.Fatalf("%d of 10 objects are left while their deletion is held", got)
	}
	if keep, err := e.configMap("keep"); err != nil || keep.Data["version"] != "2" {
		t.Errorf("a sync whose deletions are held has begun all the same: %v, %v", keep, err)
	}
	e.approve("app", digestOf(t, condition(app, heldError)), time.Now().Add(time.Hour))
	e.untilVersion("keep", "3")
	e.until("app", "good after the approval", func(app *v1alpha1.Application) bool { return good(app) && condition(app, heldError) == "" })
	if got := e.left(); got != 0 {
		t.Errorf("%d objects are left of hooks that go when they have succeeded", got)
	}
}

// TestNamespaceMadeAnewIsHeld has a Namespace deleted and made again by what a file says of it: all that is in it would go.
func TestNamespaceMadeAnewIsHeld(t *testing.T) {
	for name, annotations := range map[string]string{
		"Hook":  "argocd.argoproj.io/hook: PreSync",
		"Force": "argocd.argoproj.io/sync-options: 'Replace=true,Force=true'",
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, nil)
			namespace := e.id("made")
			manifest := func(annotations string) string {
				return fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s, annotations: {%s}}}", namespace, annotations)
			}
			e.write("space/ns.yaml", manifest(""))
			e.write("space/cm.yaml", configMapV1)
			for name, text := range many(0, 6) {
				e.write(strings.Replace(name, "app/", "other/", 1), text)
			}
			e.app("space", "space")
			e.until("space", "good", good)
			e.app("other", "other", func(app *v1alpha1.Application) { app.Spec.Destination.Namespace = namespace })
			e.until("other", "good", good)
			before := &corev1.Namespace{}
			if err := e.Get(t.Context(), client.ObjectKey{Name: namespace}, before); err != nil {
				t.Fatal(err)
			}
			e.atOnce(func() {
				e.write("space/ns.yaml", manifest(annotations))
				e.write("space/cm.yaml", strings.ReplaceAll(configMapV1, `"1"`, `"2"`))
			})
			e.says("space", heldError, "1 object", namespace, "in it")
			after := &corev1.Namespace{}
			if err := e.Get(t.Context(), client.ObjectKey{Name: namespace}, after); err != nil || after.UID != before.UID || after.DeletionTimestamp != nil {
				t.Errorf("the Namespace was deleted: %v", err)
			}
		})
	}
}

// TestDefinitionMadeAnewIsHeld has a definition become a hook, of whose kind no application has an object: all of its objects
// would go.
func TestDefinitionMadeAnewIsHeld(t *testing.T) {
	e := start(t, nil)
	group := e.namespace + ".example.com"
	definition := func(annotations string) string {
		return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.%s, annotations: {%s}}
spec:
  group: %s
  scope: Namespaced
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`, group, annotations, group)
	}
	e.write("app/crd.yaml", definition(""))
	e.write("app/cm.yaml", configMapV1)
	e.app("app", "app")
	e.until("app", "good", good)
	for i := range 6 {
		thing := &unstructured.Unstructured{}
		thing.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Thing"})
		thing.SetNamespace(e.namespace)
		thing.SetName(fmt.Sprintf("thing-%d", i))
		embeddedtest.Eventually(t, func(ctx context.Context) error { return e.Create(ctx, thing) })
	}
	e.atOnce(func() {
		e.write("app/crd.yaml", definition("argocd.argoproj.io/hook: PreSync"))
		e.write("app/cm.yaml", strings.ReplaceAll(configMapV1, `"1"`, `"2"`))
	})
	e.says("app", heldError, "1 object", "things."+group+" (with 6 objects of its kind)")
}

// TestHookOfAnothersName has hooks of the name of an object that another application has: it stays as it is, whatever the
// hook's policy. What asks for a person's word before it is deleted waits for it.
func TestHookOfAnothersName(t *testing.T) {
	e := start(t, map[string]string{
		"blue/a.yaml": configMapV1, "red/keep.yaml": strings.ReplaceAll(configMapV1, "settings", "keep"),
		"careful/keep.yaml": strings.ReplaceAll(configMapV1, "settings", "other"),
		"careful/a.yaml":    marked("careful", "argocd.argoproj.io/sync-options: Prune=confirm"),
	})
	e.app("blue", "blue", byHand)
	e.ask("blue", v1alpha1.SyncOperation{})
	e.until("blue", "good", good)
	e.app("red", "red", noRetry)
	e.until("red", "good", good)
	e.app("careful", "careful")
	e.until("careful", "good", good)
	before, err := e.configMap("settings")
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"BeforeHookCreation", "HookSucceeded", "HookFailed"} {
		e.atOnce(func() {
			e.write("red/keep.yaml", strings.ReplaceAll(strings.ReplaceAll(configMapV1, "settings", "keep"), `"1"`, policy))
			e.write("red/hook.yaml", "# "+policy+"\n"+hooked("settings", "PreSync", policy))
		})
		revision := ""
		e.until("red", "refused for "+policy, func(app *v1alpha1.Application) bool {
			revision = app.Status.Sync.Revision
			st := app.Status.OperationState
			return st != nil && st.SyncResult != nil && st.SyncResult.Revision == revision && st.Phase == v1alpha1.OperationFailed &&
				strings.Contains(st.Message, "it is part of application "+e.id("blue")) && condition(app, v1alpha1.ApplicationConditionSharedResourceWarning) != ""
		})
		after, err := e.configMap("settings")
		if err != nil || after.UID != before.UID || after.ResourceVersion != before.ResourceVersion {
			t.Fatalf("a hook with %s took it: %v, %v", policy, after, err)
		}
	}
	careful, err := e.configMap("careful")
	if err != nil {
		t.Fatal(err)
	}
	e.atOnce(func() {
		e.write("careful/keep.yaml", strings.ReplaceAll(strings.ReplaceAll(configMapV1, "settings", "other"), `"1"`, `"2"`))
		e.write("careful/a.yaml", hooked("careful", "PreSync", "HookSucceeded"))
	})
	e.until("careful", "waiting for a person", func(app *v1alpha1.Application) bool {
		return app.Status.OperationState.Phase == v1alpha1.OperationRunning && strings.Contains(app.Status.OperationState.Message, "waiting for pruning confirmation")
	})
	if now, err := e.configMap("careful"); err != nil || now.UID != careful.UID {
		t.Errorf("it was deleted without a person's word: %v", err)
	}
	asking := e.until("careful", "asking a person", func(app *v1alpha1.Application) bool { return len(approval.Unconfirmed(app)) == 1 })
	e.change("careful", func(app *v1alpha1.Application) {
		if err := approval.Confirm(app, guard.Digest(approval.NamesOf(approval.Unconfirmed(asking))), time.Now()); err != nil {
			t.Error(err)
		}
	})
	e.untilVersion("other", "2")
}

// TestHookThatAnotherLeft has a hook of the name of what a finished hook of another application left: that is in no state of its
// application, and stays its own.
func TestHookThatAnotherLeft(t *testing.T) {
	e := start(t, map[string]string{
		"blue/a.yaml": configMapV1, "blue/hook.yaml": hooked("migrate", "PreSync", "BeforeHookCreation"),
		"red/keep.yaml": strings.ReplaceAll(configMapV1, "settings", "keep"),
	})
	e.app("blue", "blue")
	e.until("blue", "good, with what its hook left", func(app *v1alpha1.Application) bool {
		return good(app) && slices.ContainsFunc(app.Status.Resources, func(s v1alpha1.ResourceStatus) bool { return s.Name == "migrate" && s.Hook })
	})
	before, err := e.configMap("migrate")
	if err != nil {
		t.Fatal(err)
	}
	e.app("red", "red", noRetry)
	e.until("red", "good", good)
	e.atOnce(func() {
		e.write("red/keep.yaml", strings.ReplaceAll(strings.ReplaceAll(configMapV1, "settings", "keep"), `"1"`, `"2"`))
		e.write("red/hook.yaml", hooked("migrate", "PreSync", "BeforeHookCreation"))
	})
	e.until("red", "refused", func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return st != nil && st.Phase == v1alpha1.OperationFailed && strings.Contains(st.Message, "it is part of application "+e.id("blue"))
	})
	if after, err := e.configMap("migrate"); err != nil || after.UID != before.UID || after.ResourceVersion != before.ResourceVersion {
		t.Errorf("a hook took what another application's hook had left: %v, %v", after, err)
	}
}

// TestDeletionHookOfAnothersName has a hook of an Application's deletion that has the name of another one's object.
func TestDeletionHookOfAnothersName(t *testing.T) {
	e := start(t, map[string]string{
		"blue/a.yaml": configMapV1, "red/keep.yaml": strings.ReplaceAll(configMapV1, "settings", "keep"),
		"red/hook.yaml": hooked("settings", "PreDelete", "HookSucceeded"),
	}, hasty)
	e.app("blue", "blue", byHand)
	e.ask("blue", v1alpha1.SyncOperation{})
	e.until("blue", "good", good)
	before, err := e.configMap("settings")
	if err != nil {
		t.Fatal(err)
	}
	e.app("red", "red")
	e.until("red", "good, with its hook marked", func(app *v1alpha1.Application) bool {
		return good(app) && slices.Contains(app.Finalizers, v1alpha1.FinalizerPreDelete)
	})
	e.delete("red")
	e.says("red", v1alpha1.ApplicationConditionDeletionError, "it is part of application "+e.id("blue"), "--no-hooks")
	after, err := e.configMap("settings")
	if err != nil || after.UID != before.UID || after.ResourceVersion != before.ResourceVersion {
		t.Errorf("a hook of the deletion took it: %v, %v", after, err)
	}
	e.remove("red/hook.yaml")
	e.untilDeleted("red")
}
