package app

import "testing"

// TestRestartAtANewRevision starts an engine anew after a commit that changed nothing of an application: it knows of no
// object whether it is as desired, and nothing is synced for that.
func TestRestartAtANewRevision(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"app/a.yaml": configMapV1, "other/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: other}, data: {version: a}}\n"})
	stop := e.restart()
	e.app("app", "app", noRetry)
	e.app("other", "other", noRetry)
	first := e.until("app", "good", good)
	e.until("other", "good", good)
	stop()
	e.write("other/b.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: other}, data: {version: b}}\n")

	e.restart()
	e.looksAt("app")
	e.untilVersion("other", "b")
	now := e.until("app", "good", good)
	if now.Status.Sync.Revision == first.Status.Sync.Revision {
		t.Fatal("it was not looked at")
	}
	if len(now.Status.History) != 1 || now.Status.OperationState.SyncResult.Revision != first.Status.Sync.Revision {
		t.Errorf("it was synced again: %+v", now.Status.History)
	}
}
