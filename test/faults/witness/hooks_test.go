package witness

import (
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

func TestHooksRunOnceAnOperation(t *testing.T) {
	hook := scene.Object{App: "main", Key: scene.Key{Kind: "ConfigMap", Name: "hook"}, Hook: "PreSync"}
	made := Request{Received: time.Unix(1, 0), Verb: "create", Resource: "configmaps", Name: "hook", Code: 201}
	sc := &scene.Scene{Namespace: "f1", Commits: [][]scene.Object{{hook}}}
	for name, c := range map[string]struct {
		reason       string
		runs, unseen int
		errs         int
	}{
		"once":         {"one operation was seen", 1, 0, 0},
		"twice":        {"one operation was seen, and none can have been missed", 2, 0, 1},
		"twice unseen": {"the API server forgot what happened in between", 2, 1, 0},
		"thrice":       {"one operation may have been missed, not two", 3, 1, 1},
	} {
		p := &Played{Scene: sc, Deleted: time.Unix(9, 0), Unseen: c.unseen, Operations: map[string]map[string]bool{"f1-main": {"a": true}}}
		writes := make([]Request, c.runs)
		for i := range writes {
			writes[i] = made
		}
		if errs := p.hooks(writes); len(errs) != c.errs {
			t.Errorf("%s: %s: %v", name, c.reason, errs)
		}
	}
	if got := Unseen(8, 12); got != 1 {
		t.Errorf("a gap of each kind is %d times that an operation may be missed, want 1", got)
	}
}
