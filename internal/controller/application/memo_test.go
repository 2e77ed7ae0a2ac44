package application

import (
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestMemoForgetsWhatDoesNotComeAgain is about objects with another name at each change.
func TestMemoForgetsWhatDoesNotComeAgain(t *testing.T) {
	key := func(name string) gitops.Key { return gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: name} }
	m := NewMemo()
	for _, name := range []string{"pruned", "hook", "refused", "kept"} {
		m.Remember("https://a", key(name), "digest", "live")
	}
	m.Remember("https://b", key("pruned"), "digest", "live")
	m.Pass("https://a", []gitops.Result{
		{Key: key("pruned"), Verb: gitops.Prune}, {Key: key("hook"), Verb: gitops.Create, Hook: true},
		{Key: key("refused"), Verb: gitops.Prune, Err: errors.New("not now")}, {Key: key("kept"), Verb: gitops.Update},
	})
	for name, want := range map[string]bool{"pruned": false, "hook": false, "refused": true, "kept": true} {
		if got := m.Has("https://a", key(name)); got != want {
			t.Errorf("%s: it is known: %t", name, got)
		}
	}
	if !m.Has("https://b", key("pruned")) {
		t.Error("what another cluster has of that name is forgotten")
	}
}
