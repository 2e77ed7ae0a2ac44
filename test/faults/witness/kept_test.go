package witness

import (
	"testing"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

func TestKept(t *testing.T) {
	config := scene.Object{App: "main", Key: scene.Key{Kind: "ConfigMap", Name: "config"}}
	hook := scene.Object{App: "main", Key: scene.Key{Kind: "ConfigMap", Name: "hook"}, Hook: "PreSync"}
	events := func(key scene.Key, ids ...string) (out []Event) {
		for _, id := range ids {
			out = append(out, Event{Key: key, UID: id})
		}
		return out
	}
	for name, c := range map[string]struct {
		reason string
		drift  bool
		events []Event
		errs   int
	}{
		"changed": {"an object that is changed keeps its id", false, events(config.Key, "a", "a"), 0},
		"anew":    {"another id is another object", false, events(config.Key, "a", "b"), 1},
		"by hand": {"somebody deletes objects, and the engine makes them again", true, events(config.Key, "a", "b"), 0},
		"hook":    {"hooks are made for each sync", false, events(hook.Key, "a", "b"), 0},
	} {
		sc := &scene.Scene{Namespace: "f1", Drift: c.drift, Commits: [][]scene.Object{{config, hook}}}
		if errs := Kept(sc, c.events); len(errs) != c.errs {
			t.Errorf("%s: %s: %v", name, c.reason, errs)
		}
	}
}
