package app

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestOwnersThatAreNotThereAreHeld gives objects an owner that is not there: Kubernetes' garbage collector would delete
// them a moment after the apply.
func TestOwnersThatAreNotThereAreHeld(t *testing.T) {
	e := start(t, many(0, 8))
	e.app("app", "app", noRetry)
	e.until("app", "good", good)
	e.atOnce(func() {
		for file, text := range many(0, 8) {
			owner := "metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: nobody, uid: 00000000-0000-4000-8000-000000000000}], "
			e.write(file, strings.Replace(text, "metadata: {", owner, 1))
		}
	})
	e.says("app", heldError, "denied", "8 objects", "as its owners are not there or go")
	if got := e.left(); got != 8 {
		t.Errorf("%d objects are left of 8 while their deletion is held", got)
	}
	e.atOnce(func() {
		for file, text := range many(0, 8) {
			e.write(file, text)
		}
	})
	e.until("app", "good after a fix", func(app *v1alpha1.Application) bool { return good(app) && condition(app, heldError) == "" })
	if got := e.left(); got != 8 {
		t.Errorf("%d objects are left of 8 after a fix", got)
	}
}

// TestOwnersThatMayGoAreHeld gives objects an owner that is there. One that is no part of the Application may go without
// a sync that deletes it, as a Pod does by the next rollout, and takes them with it; one that is a part of it counts when
// that goes.
func TestOwnersThatMayGoAreHeld(t *testing.T) {
	e := start(t, many(0, 9))
	e.app("app", "app", noRetry)
	e.until("app", "good", good)
	stranger := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "stranger"}}
	if err := e.Create(t.Context(), stranger); err != nil {
		t.Fatal(err)
	}
	own, err := e.configMap("cm-08")
	if err != nil {
		t.Fatal(err)
	}
	give := func(owner *corev1.ConfigMap) {
		e.atOnce(func() {
			for file, text := range many(0, 8) {
				by := fmt.Sprintf("metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: %s, uid: %s}], ", owner.Name, owner.UID)
				e.write(file, strings.Replace(text, "metadata: {", by, 1))
			}
		})
	}
	give(stranger)
	e.says("app", heldError, "denied", "8 objects", "as its owners are not there or go")
	give(own)
	e.until("app", "good with an owner of its own", func(app *v1alpha1.Application) bool { return good(app) && condition(app, heldError) == "" })
	e.removeMany(8, 9)
	e.says("app", heldError, "denied", "9 objects")
}
