package record

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

func TestTraceIsDrawn(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	long := strings.Repeat("very-", 30) + "long-name"
	trace := &syncs.Trace{
		Sync: &history.Sync{
			ID: history.ID("uid", at), App: history.App{Name: "shop"}, Cause: history.Requested, By: "ann", Started: at, Finished: at.Add(10 * time.Second), Phase: "Failed",
			LeftOut: 14, Omitted: history.Counts{Total: 3},
			Message: "one object failed", Changed: history.Counts{Created: 1, Failed: 1, Total: 2},
			Commits: []history.Commit{{RepoURL: "https://git.example.com/shop", Revision: strings.Repeat("a", 40), Author: "Ann", Subject: "Sell more"}},
			Waves: []history.Wave{
				{Phase: gitops.PreSync, Started: at, Ended: at.Add(2 * time.Second), Objects: []history.Object{
					{Kind: "Job", Name: "migrate", Hook: true, Message: "created", Started: at, Took: 20 * time.Millisecond, Healthy: at.Add(2 * time.Second)},
				}},
				{Phase: gitops.Sync, Number: 1, Started: at.Add(2 * time.Second), Unchanged: 7, Repeated: 5, Objects: []history.Object{
					{Kind: "Deployment", Namespace: "shop", Name: long, Message: "created", Started: at.Add(2 * time.Second), Took: time.Second},
					{Kind: "Service", Name: "web", Status: "SyncFailed", Message: "spec.ports: Required value", Started: at.Add(3 * time.Second), Took: time.Second},
				}},
			},
		},
		Changes: []history.Change{{At: at.Add(12 * time.Second), Kind: "Deployment", Name: "web", From: gitops.Progressing, To: gitops.Healthy}},
	}
	text := drawTrace(trace, live.Plain(), 100, at.Add(time.Hour))
	for _, want := range []string{
		"shop: requested by ann sync Failed", "aaaaaaa", `"Sell more" by Ann`, "2 objects: +1 !1", "PreSync", "hook created, healthy Job migrate",
		"Sync wave 1", "Failed Service web: spec.ports", "+12.0s  Deployment web: Progressing → Healthy",
		"and 7 objects unchanged", "and 5 objects that later waves tell of", "of tries 2 to 15, only objects are kept that no later try has", "3 objects are not kept: there were too many",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the drawing does not have %q:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > 100 && !strings.HasPrefix(line, "shop:") {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
}
