package app

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestWhatAnotherApplicationHasIsLeftToIt takes an object out of one application that another one has and never synced:
// it is neither pruned nor deleted with the first.
func TestWhatAnotherApplicationHasIsLeftToIt(t *testing.T) {
	e := start(t, map[string]string{"one/a.yaml": configMapV1, "one/b.yaml": waved("stays", "0"), "two/a.yaml": configMapV1})
	e.app("one", "one")
	e.until("one", "good", good)
	e.app("two", "two", byHand)
	e.until("two", "compared", func(app *v1alpha1.Application) bool { return len(app.Status.Resources) == 1 })
	before, err := e.configMap("settings")
	if err != nil {
		t.Fatal(err)
	}
	e.remove("one/a.yaml")
	e.until("one", "told that it is the other's", func(app *v1alpha1.Application) bool {
		for _, r := range app.Status.Resources {
			if r.Name == "settings" && r.RequiresPruning {
				return app.Status.OperationState.Phase.Completed() && app.Status.Sync.Revision != before.ResourceVersion
			}
		}
		return false
	})
	e.delete("one")
	e.untilDeleted("one")
	after, err := e.configMap("settings")
	if err != nil || after.UID != before.UID || after.DeletionTimestamp != nil {
		t.Fatalf("the other application's object was deleted: %v", err)
	}
	if _, err := e.configMap("stays"); err == nil {
		t.Error("an object of its own stayed")
	}
	e.ask("two", v1alpha1.SyncOperation{})
	e.until("two", "its own now", endedAs(v1alpha1.OperationSucceeded))
	if after, err = e.configMap("settings"); err != nil || after.UID != before.UID {
		t.Errorf("it was made anew: %v", err)
	}
}

// TestSharedObjectGoesWithTheLastApplication deletes the application that made an object, which is left to the one that
// has it, too; when that one goes as well, so does the object.
func TestSharedObjectGoesWithTheLastApplication(t *testing.T) {
	e := start(t, map[string]string{"one/a.yaml": configMapV1, "two/a.yaml": configMapV1})
	e.app("one", "one")
	e.until("one", "good", good)
	e.app("two", "two", byHand)
	e.until("two", "compared", func(app *v1alpha1.Application) bool { return len(app.Status.Resources) == 1 })
	e.delete("one")
	e.untilDeleted("one")
	if _, err := e.configMap("settings"); err != nil {
		t.Fatalf("the other application's object was deleted: %v", err)
	}
	e.delete("two")
	e.untilDeleted("two")
	if _, err := e.configMap("settings"); err == nil {
		t.Error("nobody has the object any more, and it stayed")
	}
}

// TestCopiedTrackingID has objects in a namespace that the project does not permit bear the id of an application: they
// stop none of its syncs, do not count for the guard, and are left alone.
func TestCopiedTrackingID(t *testing.T) {
	e := start(t, many(0, 4))
	victim := e.namespace
	elsewhere := embeddedtest.Namespace(t, hubConfig)
	e.project("ours", func(s *v1alpha1.AppProjectSpec) {
		s.Destinations = []v1alpha1.ApplicationDestination{{Server: "*", Namespace: victim}}
	})
	app := e.app("app", "app", in("ours"))
	e.until("app", "good", good)
	for _, name := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight"} {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: elsewhere, Name: name, Annotations: map[string]string{
			gitops.AnnotationTracking: app.Name + ":/ConfigMap:" + elsewhere + "/" + name,
		}}}
		if err := e.Create(t.Context(), cm); err != nil {
			t.Fatal(err)
		}
	}
	e.says("app", v1alpha1.ApplicationConditionForeignResourceWarning, elsewhere, "and 3 more")
	e.write("app/00.yaml", strings.ReplaceAll(strings.ReplaceAll(configMapV1, "settings", "cm-00"), `"1"`, `"2"`))
	e.untilVersion("cm-00", "2")
	e.until("app", "good again", good)
	list := &corev1.ConfigMapList{}
	if err := e.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range list.Items {
		if cm := &list.Items[i]; cm.Namespace == elsewhere && cm.Annotations[gitops.AnnotationTracking] != "" && cm.DeletionTimestamp == nil {
			found++
		}
	}
	if found != 8 {
		t.Error(errors.New("objects of another team were deleted"))
	}
}

// TestMarksThatApplicationsBring: the Namespace that an Application has made, and
// a definition that it brings, are none of another's, although they say so. One
// that asks to be confirmed would stop each of the other's syncs, and one that
// does not would be deleted with all that is in it.
func TestMarksThatApplicationsBring(t *testing.T) {
	const definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: %s.marks.example.com\n" +
		"  annotations: {%s: %q, %s: Prune=confirm}\n" +
		"spec: {group: marks.example.com, scope: Cluster, names: {kind: K%s, plural: %s, singular: k%s}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n"
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	victim := e.app("app", "app")
	made, plural := e.namespace+"-red", "k"+e.namespace
	e.until("app", "good", good)
	e.write("red/a.yaml", strings.ReplaceAll(configMapV1, "settings", "reds")+"---\n"+fmt.Sprintf(definition, plural,
		gitops.AnnotationTracking, victim.Name+":apiextensions.k8s.io/CustomResourceDefinition:"+e.namespace+"/"+plural+".marks.example.com", gitops.AnnotationSync,
		e.namespace, plural, e.namespace))
	e.app("red", "red", options("CreateNamespace=true"), func(app *v1alpha1.Application) {
		app.Spec.Destination.Namespace = made
		app.Spec.SyncPolicy.ManagedNamespaceMetadata = &v1alpha1.ManagedNamespaceMetadata{Annotations: map[string]string{
			gitops.AnnotationTracking: victim.Name + ":/Namespace:" + made + "/" + made, gitops.AnnotationSync: "Prune=confirm,ServerSideApply=true",
		}}
	})
	e.until("red", "good", good)
	e.says("red", v1alpha1.ApplicationConditionIneffectiveOptionWarning, gitops.AnnotationTracking)
	e.write("app/a.yaml", version("2"))
	e.untilVersion("settings", "2")
	e.until("app", "good again", good)
	ns := &corev1.Namespace{}
	if err := e.Get(t.Context(), client.ObjectKey{Name: made}, ns); err != nil || ns.DeletionTimestamp != nil || ns.Annotations[gitops.AnnotationTracking] != "" {
		t.Errorf("the Namespace is another's: %v, %v", ns.Annotations, err)
	}
}
