package journal

import (
	"fmt"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// TestJournalOfManyTries: a sync that is tried again without end keeps how it began and
// how it goes, and tells once of what it finds as it was.
func TestJournalOfManyTries(t *testing.T) {
	now := at
	h := &told{}
	j := NewJournal(h, func() time.Time { return now })
	app := &v1alpha1.Application{}
	opstate.StartAutomated(app, opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"0000001"}}, 0, at)
	tg := &state.Target{Subject: state.Subject{App: app, Cluster: somewhere{}}}
	result := func(name, status, message string) gitops.Result {
		return gitops.Result{Key: gitops.Key{Kind: "ConfigMap", Name: name}, Status: status, Message: message, Verb: gitops.Update}
	}
	var outcome []gitops.Result
	for n := range 50 {
		outcome = append(outcome, result(fmt.Sprint("settings-", n), "Synced", gitops.Unchanged))
	}
	outcome = append(outcome, result("new", "Synced", gitops.Created), result("bad", "SyncFailed", "refused"), result("late", "SyncFailed", "timed out"))
	for try := range int64(200) {
		app.Status.OperationState.RetryCount, now = try, now.Add(time.Minute)
		switch try {
		case 1:
			outcome[50].Message = gitops.Unchanged
		case 2: // it was written when the answer came too late
			outcome[52] = result("late", "Synced", gitops.Unchanged)
		}
		for range 2 { // it is sent again
			j.Waved(tg, &gitops.Wave{Phase: gitops.Sync}, now, outcome)
		}
		j.Advance(tg, nil)
	}
	s := h.last()
	var objects []int
	for i := range s.Waves {
		objects = append(objects, len(s.Waves[i].Objects))
	}
	if got := fmt.Sprint(objects); got != "[53 1 1 1 1]" || s.LeftOut != 196 {
		t.Errorf("the waves have %s objects, and %d tries are left out", got, s.LeftOut)
	}
	if last := s.Waves[len(s.Waves)-1]; last.Unchanged != 52 || last.Try != 199 {
		t.Errorf("the last wave is %+v", last)
	}
	if want := (history.Counts{Created: 1, Failed: 1, Total: 53}); s.Changed != want {
		t.Errorf("it tells of %+v, want %+v", s.Changed, want)
	}
}
