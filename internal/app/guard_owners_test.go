package app

import (
	"strings"
	"testing"

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
