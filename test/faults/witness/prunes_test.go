package witness

import (
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

func TestPrunesGoInReverse(t *testing.T) {
	low := scene.Object{App: "main", Key: scene.Key{Kind: "ConfigMap", Name: "low"}, Wave: 0}
	high := scene.Object{App: "main", Key: scene.Key{Kind: "ConfigMap", Name: "high"}, Wave: 2}
	other := scene.Object{App: "main", Key: scene.Key{Kind: "ConfigMap", Name: "other"}, Wave: 1}
	played := &Played{Scene: &scene.Scene{Commits: [][]scene.Object{{low, high, other}, {other}}}}
	at := func(second int, verb, name string, code int) Request {
		received := time.Unix(int64(second), 0)
		return Request{Received: received, Answered: received.Add(time.Second / 2), Verb: verb, Resource: "configmaps", Name: name, Code: code}
	}
	for name, c := range map[string]struct {
		reason string
		writes []Request
		errs   int
	}{
		"reversed":   {"the higher wave goes first", []Request{at(1, "delete", "high", 200), at(2, "delete", "low", 200)}, 0},
		"forward":    {"the lower wave went first", []Request{at(1, "delete", "low", 200), at(2, "delete", "high", 200)}, 1},
		"together":   {"the higher one was not answered yet", []Request{at(1, "delete", "high", 200), at(1, "delete", "low", 200)}, 1},
		"by hand":    {"somebody else deleted the higher one", []Request{at(2, "delete", "low", 200)}, 0},
		"came later": {"it was made after the lower one had gone", []Request{at(1, "delete", "low", 200), at(2, "patch", "high", 201), at(3, "delete", "high", 200)}, 0},
		"stays":      {"another commit takes that one out", []Request{at(1, "delete", "low", 200), at(5, "delete", "other", 200)}, 0},
	} {
		if errs := played.prunes(c.writes); len(errs) != c.errs {
			t.Errorf("%s: %s: %v", name, c.reason, errs)
		}
	}
}
