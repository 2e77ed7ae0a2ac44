package app

import (
	"fmt"
	"strings"
	"testing"
)

// TestMoveThatComesToNothingIsHeld moves objects to a namespace that is not there, and makes it then.
func TestMoveThatComesToNothingIsHeld(t *testing.T) {
	e := start(t, many(0, 8))
	e.write("app/keep.yaml", strings.ReplaceAll(configMapV1, "settings", "keep"))
	e.app("app", "app", noRetry)
	e.untilVersion("keep", "1")
	e.until("app", "good", good)
	other := e.namespace + "-other"
	e.atOnce(func() {
		for file, text := range many(0, 8) {
			e.write(file, strings.Replace(text, "metadata: {", fmt.Sprintf("metadata: {namespace: %s, ", other), 1))
		}
	})
	e.says("app", heldError, "denied", "8 objects", "cm-00")
	if got := e.left(); got != 8 {
		t.Errorf("%d objects are left of 8 while none of them was made elsewhere", got)
	}
	orphan := "{apiVersion: v1, kind: Namespace, metadata: {name: %s, ownerReferences: [{apiVersion: v1, kind: Node, name: nobody, uid: gone}]}}"
	e.write("app/namespace.yaml", fmt.Sprintf(orphan, other))
	e.says("app", heldError, "denied", "8 objects", "cm-00")
	if got := e.left(); got != 8 {
		t.Errorf("%d objects are left of 8 while the namespace that they move to has no owner that is there", got)
	}
	e.write("app/namespace.yaml", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", other))
	e.until("app", "moved", good)
	if got := e.left(); got != 0 {
		t.Errorf("%d objects are left where they were", got)
	}
}
