package compare

import (
	"errors"
	"fmt"
	"testing"
	"time"

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

// TestMemoForgetsWhatNobodyAsksFor: an application that is gone without its objects
// tells of none of them.
func TestMemoForgetsWhatNobodyAsksFor(t *testing.T) {
	now := time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)
	m := NewMemo()
	m.now = func() time.Time { return now }
	kept := gitops.Key{Kind: "ConfigMap", Name: "kept"}
	m.Remember("https://a", kept, "digest", "live")
	for i := range 4 * fewestKnown {
		m.Remember("https://a", gitops.Key{Kind: "ConfigMap", Name: fmt.Sprint("of-", i)}, "digest", "live")
		if i%100 == 0 {
			now = now.Add(time.Minute)
		}
		if !m.Known("https://a", kept, "digest", "live") {
			t.Fatalf("after %d others it is known no more although it is asked for", i)
		}
	}
	if most := fewestKnown + 1; len(m.known) > most {
		t.Errorf("%d are known, want %d at most", len(m.known), most)
	}
}
