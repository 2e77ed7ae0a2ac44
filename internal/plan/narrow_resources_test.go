package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestLeaveOutSynced(t *testing.T) {
	there := &gitops.Live{}
	action := func(name string, verb gitops.Verb, sync gitops.SyncCode) gitops.Action {
		return gitops.Action{Key: gitops.Key{Name: name}, Verb: verb, Sync: sync, Desired: &gitops.Manifest{}, Live: there}
	}
	hook := action("hook", gitops.Keep, gitops.Synced)
	hook.Hook = true
	stray := action("stray", gitops.Prune, gitops.OutOfSync)
	stray.Desired = nil
	p := &gitops.Plan{Waves: []gitops.Wave{
		{Number: 0, Actions: []gitops.Action{action("same", gitops.Keep, gitops.Synced)}},
		{Number: 1, Actions: []gitops.Action{action("same too", gitops.Keep, gitops.Synced), action("differs", gitops.Update, gitops.OutOfSync), action("owned by others", gitops.Update, gitops.Synced)}},
		{Number: 2, Actions: []gitops.Action{action("sent before", gitops.Keep, gitops.Synced), action("leaving", gitops.Skip, gitops.Synced), hook, stray}},
	}}
	LeaveOutSynced(p, func(k gitops.Key) bool { return k.Name == "sent before" })
	got := map[int][]string{}
	for _, w := range p.Waves {
		for i := range w.Actions {
			got[w.Number] = append(got[w.Number], w.Actions[i].Key.Name)
		}
	}
	want := map[int][]string{1: {"differs"}, 2: {"sent before", "leaving", "hook", "stray"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is left of the plan (-want +got):\n%s", diff)
	}
}
