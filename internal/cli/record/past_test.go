package record

import (
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

const ofShop = "/api/v1/applications/argocd/shop"

// served is a server with an application that was synced so.
func served(t *testing.T, list ...history.Sync) *clitest.Desk {
	t.Helper()
	app := clitest.Settled()
	app.UID = "u"
	return clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(app), "GET " + ofShop + "/history": append([]history.Sync{}, list...),
		"GET " + ofShop + "/history/{id}": syncs.Trace{Sync: &list[:1][0]},
		"GET " + ofShop + "/history/aaaa1111/compare/bbbb2222": []api.Difference{
			{Ref: api.Ref{Kind: "ConfigMap", Namespace: "shop", Name: "a"}, Verb: "update", Changes: []api.Change{{Path: "data.a", Old: "<1>", New: "2"}, {Path: "data.b"}}},
			{Ref: api.Ref{Kind: "Secret", Name: "b"}, Verb: "create"},
		},
		"GET " + ofShop + "/history/bbbb2222/compare/bbbb2222": []api.Difference{},
	})
}

func synced(id string, number int64) history.Sync {
	return history.Sync{ID: id, History: &number, App: history.App{Name: "shop", UID: "u"}, Phase: history.PhaseSucceeded, Started: time.Now().Add(-time.Hour), Finished: time.Now()}
}

// TestSyncsOfAServer are listed, compared and drawn; what names none is told where all are.
func TestSyncsOfAServer(t *testing.T) {
	d := served(t, synced("bbbb2222", 4), synced("aaaa1111", 3), history.Sync{ID: "cccc3333", DryRun: true, By: "ann", Phase: "Failed"})
	run := func(args ...string) clitest.Left {
		return clitest.Run(t, NewHistory, append(args, "--server", d.URL)...)
	}
	run("shop").Says(t, "the numbers of those that are in the Application's history", command.ExitFine, "4   bbbb2222  60m", "-   cccc3333  -", "dry run by ann")
	run("shop", "-o", "json").Says(t, "for programs", command.ExitFine, `"id": "aaaa1111"`)
	got := run("shop", "--diff", "3", "BBBB")
	got.Says(t, "by number and by trace", command.ExitFine, "changed ConfigMap shop/a\n  data.a\n  - <1>\n  + 2\n  data.b\n    differs, and is not shown\nadded Secret b\n")
	run("shop", "--diff", "4", "4").Says(t, "the same", command.ExitFine, "no differences\n")
	run("shop", "--diff", "3", "9").Says(t, "no such number", command.ExitFailed, `application shop has no sync "9" in its history: see causeway history shop`)
	run("shop", "--diff", "3", "bbb").Says(t, "too few digits may be of many", command.ExitFailed, `has no sync "bbb"`)
	trace := clitest.Run(t, NewTrace, "shop", "--server", d.URL)
	trace.Says(t, "the newest one", command.ExitFine, "Succeeded", "trace bbbb2222")
}

// TestSyncsThatCannotBeMeant are refused with what to write.
func TestSyncsThatCannotBeMeant(t *testing.T) {
	d := served(t, synced("bbbb2222", 4))
	for args, want := range map[string]string{
		"": "name an application", "shop 3": `cannot take the argument "3"`, "shop --diff 3": "--diff takes two syncs, as in causeway history shop --diff 3 5", "shop --diff": "--diff takes two syncs", "shop -o tree": "use one of table, wide, json, yaml",
	} {
		clitest.Run(t, NewHistory, append(strings.Fields(args), "--server", d.URL)...).Says(t, "history "+args, command.ExitUsage, want)
	}
	for args, want := range map[string]string{"": "name an application, and a sync if not the last one is asked for", "a b c": "name an application, and a sync", "shop -o wide": "use one of table, json, yaml"} {
		clitest.Run(t, NewTrace, append(strings.Fields(args), "--server", d.URL)...).Says(t, "trace "+args, command.ExitUsage, want)
	}
	clitest.Run(t, NewChanges, "x").Says(t, "changes", command.ExitUsage, `cannot take the argument "x"`)
	clitest.Run(t, NewAudit, "list", "x").Says(t, "audit", command.ExitUsage, `cannot take the argument "x"`)
}

// TestCountsOfASync have a sign each, and none that is nothing.
func TestCountsOfASync(t *testing.T) {
	for want, c := range map[string]history.Counts{"nothing": {Total: 7}, "+2 ~1 -3 !4": {Created: 2, Changed: 1, Pruned: 3, Failed: 4}, "!1": {Failed: 1}} {
		if got := changed(c); got != want {
			t.Errorf("%+v is %q", c, got)
		}
	}
}

// TestBarsStayOnTheirScale, whatever the clocks of engines say.
func TestBarsStayOnTheirScale(t *testing.T) {
	c := &canvas{length: 10 * time.Second, width: 100}
	cases := map[string]struct {
		reason     string
		from, took time.Duration
		want       string
	}{
		"half":   {"to scale", 0, 5 * time.Second, strings.Repeat("x", spanWidth/2)},
		"moment": {"what is short is seen", 0, time.Nanosecond, "x"},
		"before": {"another clock", -time.Hour, 0, "x"},
		"after":  {"another clock", time.Hour, time.Hour, strings.Repeat(" ", spanWidth-1) + "x"},
		"whole":  {"no more than there is", 0, time.Hour, strings.Repeat("x", spanWidth)},
		"back":   {"it ended before it began", 0, -time.Hour, "x"},
	}
	for name, tc := range cases {
		if got := c.bar(tc.from, tc.took, 'x'); got != tc.want {
			t.Errorf("%s: %s: %q", name, tc.reason, got)
		}
	}
	for want, d := range map[string]time.Duration{"0": -time.Second, "20ms": 20 * time.Millisecond, "1.5s": 1500 * time.Millisecond, "2m0s": 2 * time.Minute} {
		if got := brief(d); got != want {
			t.Errorf("%v is %q", d, got)
		}
	}
}

// TestLongTracesHaveAnEnd, and tell of what they leave out.
func TestLongTracesHaveAnEnd(t *testing.T) {
	s := synced("bbbb2222", 4)
	wave := history.Wave{Phase: gitops.Sync, Try: 1, Started: s.Started}
	var changes []history.Change
	for range mostObjects + 2 {
		wave.Objects = append(wave.Objects, history.Object{Kind: "ConfigMap", Name: "a", Status: "SyncFailed", Message: "no"})
		changes = append(changes, history.Change{At: s.Started, To: gitops.Healthy})
	}
	s.Waves, s.Retries, s.Of = []history.Wave{wave}, 2, "aaaa1111"
	text := drawTrace(&syncs.Trace{Sync: &s, Changes: changes}, live.Plain(), 120, time.Now())
	for _, want := range []string{"Sync wave 0 (try 2)", "; 2 retries", "back to sync aaaa1111", "the application: - → Healthy"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, gitops.More(2)+": see -o json"); n != 2 || strings.Count(text, "ConfigMap a") != mostObjects || strings.Count(text, "the application: ") != mostObjects {
		t.Errorf("what is left out is told %d times, not 2", n)
	}
}
