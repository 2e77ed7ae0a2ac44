package chronicle

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// An audit that could not be opened is missed, and one that nobody wants is not.
func TestNotesWithoutAnAudit(t *testing.T) {
	for off, want := range map[bool]int64{true: 0, false: 3} {
		var log bytes.Buffer
		c := &Chronicle{o: Options{Config: Config{Off: off}, Log: slog.New(slog.NewTextHandler(&log, nil))}}
		for range 3 {
			c.Note(&audit.Entry{Verb: "delete"})
		}
		if got, lines := c.unaudited.Load(), strings.Count(log.String(), "\n"); got != want || lines > 1 || (lines == 1) != (want > 0) {
			t.Errorf("off is %t: %d are counted, want %d, and the log is %q", off, got, want, log.String())
		}
	}
}

// What was held is released by an approval, of which it is told whose it claims to be, or
// for another reason.
func TestEntriesOfWhatIsHeld(t *testing.T) {
	for name, tc := range map[string]struct {
		count    int
		approved string
		verb     string
		says     string
	}{
		"Held":     {2, "", "hold", "2 deletions held"},
		"Approved": {0, " by ann (unverified)", "release", "they were approved by ann (unverified)"},
		"Gone":     {0, "", "release", "or are no longer wanted"},
	} {
		t.Run(name, func(t *testing.T) {
			e := holding(v1alpha1.ApplicationSetKind, "argocd/addons", tc.count, tc.approved)
			if e.Verb != tc.verb || e.Resource != "applicationsets" || e.Namespace != "argocd" || e.Name != "addons" || !strings.Contains(e.Message, tc.says) {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// A sync that was asked for past the API is told of when it has ended; what the
// API was asked for, and what begins by itself, is not told of twice.
func TestSyncsThatWereAskedForAtTheHub(t *testing.T) {
	for name, tc := range map[string]struct {
		sync history.Sync
		verb string
		says string
	}{
		"ByItself":   {sync: history.Sync{Cause: history.Automated}},
		"Heals":      {sync: history.Sync{Cause: history.Heal}},
		"GoesBack":   {sync: history.Sync{Cause: history.AutomaticRollback}},
		"ByTheAPI":   {sync: history.Sync{Cause: history.Requested, By: "ann"}},
		"AtTheHub":   {history.Sync{Cause: history.Requested, By: gitops.Unverified("ann"), Phase: "Failed"}, "sync", "by ann (unverified); it ended as Failed"},
		"ByNobody":   {history.Sync{Cause: history.Requested, Phase: "Succeeded"}, "sync", "somebody who is not named"},
		"DryRun":     {history.Sync{Cause: history.Requested, DryRun: true}, "sync", "a dry run, "},
		"AsIfItself": {history.Sync{Cause: history.Automated, By: gitops.Unverified("somebody"), Phase: "Succeeded"}, "sync", "by somebody (unverified)"},
		"Itself":     {history.Sync{Cause: history.Automated, Phase: "Succeeded"}, "", ""},
		"RolledBack": {history.Sync{Cause: history.Rollback, By: gitops.Unverified("ann")}, "rollback", "by ann (unverified)"},
	} {
		tc.sync.ID, tc.sync.App = "1", history.App{Namespace: "argocd", Name: "web"}
		got := askedAtTheHub(&tc.sync)
		if got == nil {
			got = &audit.Entry{}
		}
		if got.Verb != tc.verb || !strings.Contains(got.Message, tc.says) || tc.verb != "" && (got.Name != "web" || got.Operation != "1") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPruningThatIsTooMuchToList: what the history does not keep of a sync was deleted all the same.
func TestPruningThatIsTooMuchToList(t *testing.T) {
	s := &history.Sync{Cause: history.Automated, Omitted: history.Counts{Pruned: 3}}
	if entry := pruned(s); entry == nil || !strings.Contains(entry.Message, "deleted 3 objects") {
		t.Errorf("the audit has %+v", entry)
	}
	s.Waves = []history.Wave{{Objects: []history.Object{{Kind: "Secret", Name: "token", Pruned: true}}}}
	if entry := pruned(s); entry == nil || len(entry.Changes) != 1 || !strings.Contains(entry.Message, "deleted 4 objects") {
		t.Errorf("the audit has %+v", entry)
	}
	s.DryRun = true
	if entry := pruned(s); entry != nil {
		t.Errorf("a dry run deleted: %+v", entry)
	}
}
