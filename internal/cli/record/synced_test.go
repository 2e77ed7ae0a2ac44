package record

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

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

// TestWhatASyncTook is told once it has ended.
func TestWhatASyncTook(t *testing.T) {
	ran := history.Sync{Started: clitest.Noon}
	if got := took(&ran); got != "-" {
		t.Errorf("what runs took %s", got)
	}
	if ran.Finished = clitest.Noon.Add(90 * time.Second); took(&ran) != live.Seconds(90*time.Second) {
		t.Errorf("it took %s", took(&ran))
	}
}
