package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

// kept is a history of one application.
type kept struct {
	list []history.Sync
	err  error
}

func (k kept) List(context.Context, string, string, int) ([]history.Sync, error) {
	return k.list, k.err
}

func (kept) Trace(context.Context, string) (*syncs.Trace, error)                 { return nil, nil }
func (kept) Diff(context.Context, string, string) (*chronicle.Difference, error) { return nil, nil }
func (kept) Close() error                                                        { return nil }

// TestSyncsAreFoundByWhatListsShow: the number that the Application gives, or the beginning of a trace.
func TestSyncsAreFoundByWhatListsShow(t *testing.T) {
	former := synced("4444aaaa", 12)
	former.App.UID = "of one that was deleted"
	list := []history.Sync{synced("12abcdef", 1234), former, synced("1234ffff", 4), {ID: "1234eeee"}, synced("5678abcd", 12)}
	cases := map[string]struct{ reason, id, want string }{
		"newest":     {"without one, the last", "", "12abcdef"},
		"number":     {"of this application, and not of a former one of its name", "12", "5678abcd"},
		"digits":     {"a number comes before a trace that begins so", "1234", "12abcdef"},
		"trace":      {"a trace that no number is", "1234f", "1234ffff"},
		"of several": {"of two the newer one", "1234E", "1234eeee"},
		"former":     {"a trace is nobody else's", "4444", "4444aaaa"},
		"whole":      {"all of it", "5678ABCD", "5678abcd"},
		"longer":     {"more than there is", "5678abcd0", ""},
		"short":      {"too few digits may be of any", "567", ""},
		"negative":   {"no number is below zero", "-4", ""},
		"huge":       {"nor is it of any size", "99999999999999999999", ""},
		"zeros":      {"zeros before it make no other number", "0012", "5678abcd"},
	}
	app := clitest.Settled()
	app.UID = "u"
	for name, c := range cases {
		p := &Past{Hub: &target.Hub{Namespace: "argocd"}, App: app, From: kept{list: list}}
		got, err := p.Find(t.Context(), c.id)
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "in its history: see causeway history shop") {
				t.Errorf("%s: %s: %v, %v", name, c.reason, got, err)
			}
			continue
		}
		if err != nil || got.ID != c.want {
			t.Errorf("%s: %s: %v, %v", name, c.reason, got, err)
		}
	}
	away := errors.New("the database is away")
	if _, err := (&Past{App: app, From: kept{err: away}}).Find(t.Context(), "12"); !errors.Is(err, away) {
		t.Errorf("that nobody can tell is not that there is none: %v", err)
	}
}

// TestHistoriesWithoutSyncs say so to people, and are an empty list for programs.
func TestHistoriesWithoutSyncs(t *testing.T) {
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(clitest.Settled()), "GET " + ofShop + "/history": func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("null"))
	}})
	for output, want := range map[string]string{"json": "[]\n", "yaml": "[]\n", "table": "", "wide": ""} {
		got := clitest.Run(t, NewHistory, "shop", "-o", output, "--server", d.URL)
		if got.Code != command.ExitFine || got.Out != want || strings.Contains(got.Errors, "application shop has no history yet\n") != (want == "") {
			t.Errorf("-o %s: %+v", output, got)
		}
	}
	clitest.Run(t, NewTrace, "shop", "--server", d.URL).Says(t, "there is none to draw", command.ExitFailed, "application shop has no history yet")
}

// TestListsOfSyncsHaveAnEnd, however many are asked for.
func TestListsOfSyncsHaveAnEnd(t *testing.T) {
	var asked []string
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(clitest.Settled()), "GET " + ofShop + "/history": func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("limit"))
		_ = json.NewEncoder(w).Encode([]history.Sync{})
	}})
	for _, limit := range []string{"0", "-3", "7", "100000"} {
		clitest.Run(t, NewHistory, "shop", "--limit", limit, "--server", d.URL).Says(t, limit, command.ExitFine)
	}
	if diff := cmp.Diff([]string{"1", "1", "7", "500"}, asked); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestDifferencesOfSyncs are told field by field: what was not there before has no value from before, and what is secret none.
func TestDifferencesOfSyncs(t *testing.T) {
	var out bytes.Buffer
	err := printDifference(&out, live.Plain(), &chronicle.Difference{Objects: []forecast.Object{
		{Change: forecast.Changed, Kind: "ConfigMap", Namespace: "shop", Name: "a", Omitted: 1, Fields: []forecast.Field{
			{Path: "data.new", New: "a b"}, {Path: "data.old", Old: true}, {Path: "data.both", Old: 1, New: strings.Repeat("x", 99)}, {Path: "data.key", Masked: true, Old: "p4ss", New: "w0rd"},
		}},
		{Change: forecast.Removed, Kind: "Namespace", Name: "shop", Omitted: 3},
	}})
	want := "changed ConfigMap shop/a\n  data.new\n  + a b\n  data.old\n  - true\n  data.both\n  - 1\n  + " + strings.Repeat("x", 47) + "…\n" +
		"  data.key\n    differs, and is not shown\n  and 1 field more\nremoved Namespace shop\n  and 3 fields more\n"
	if diff := cmp.Diff(want, out.String()); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestCausesOfASync are told with who asked; one that was only tried is told so, whoever did.
func TestCausesOfASync(t *testing.T) {
	for want, s := range map[string]history.Sync{
		"requested by ann": {Cause: history.Requested, By: "ann"}, "automated": {Cause: history.Automated}, "dry run by ann": {Cause: history.Requested, By: "ann", DryRun: true}, "": {},
	} {
		if got := Caused(&s); got != want {
			t.Errorf("%+v is %q", s, got)
		}
	}
	ran := history.Sync{Started: clitest.Noon}
	if got := took(&ran); got != "-" {
		t.Errorf("what runs took %s", got)
	}
	if ran.Finished = clitest.Noon.Add(90 * time.Second); took(&ran) != live.Seconds(90*time.Second) {
		t.Errorf("it took %s", took(&ran))
	}
}
