package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

var (
	sameApp   = takeover.Comparison{Name: "same"}
	movedApp  = takeover.Comparison{Name: "moved", Changes: []takeover.Change{{Verb: gitops.Update, Key: gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, Fields: []string{"spec.replicas", "spec.paused"}}}}
	brokenApp = takeover.Comparison{Name: "broken", Problem: "no chart\nis there"}
	doubtful  = takeover.Comparison{Name: "doubtful", Problem: "late", Changes: movedApp.Changes}
	sameSet   = takeover.SetComparison{Name: "same"}
	movedSet  = takeover.SetComparison{Name: "moved", Changes: []takeover.SetChange{{Verb: gitops.Prune, Application: "shop"}}}
	brokenSet = takeover.SetComparison{Name: "broken", Problem: "no list"}
)

// TestALookEndsByTheWorstOfIt: what cannot be told is worse than a change.
func TestALookEndsByTheWorstOfIt(t *testing.T) {
	cases := map[string]struct {
		reason string
		apps   []takeover.Comparison
		sets   []takeover.SetComparison
		code   int
		text   string
		sum    string
	}{
		"nothing":    {"there is no application", nil, nil, command.ExitFine, "", "0 applications: 0 without a change, 0 with changes"},
		"same":       {"nothing would change", []takeover.Comparison{sameApp}, []takeover.SetComparison{sameSet}, command.ExitFine, "", "1 application: 1 without a change, 0 with changes"},
		"changes":    {"an object would", []takeover.Comparison{sameApp, movedApp}, nil, command.ExitChanges, "", "2 applications: 1 without a change, 1 with changes"},
		"set":        {"an Application would", []takeover.Comparison{sameApp}, []takeover.SetComparison{movedSet}, command.ExitChanges, "", "1 application: 1 without"},
		"unexpanded": {"a set cannot be told", []takeover.Comparison{movedApp}, []takeover.SetComparison{brokenSet, movedSet}, command.ExitFailed, "1 ApplicationSet cannot be expanded", "1 with changes"},
		"broken":     {"applications come first", []takeover.Comparison{brokenApp, doubtful, movedApp}, []takeover.SetComparison{brokenSet}, command.ExitFailed, "2 applications cannot be compared", "3 applications: 0 without a change, 1 with changes, 2 that cannot be compared"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			look := &argoLook{comparisons: c.apps, sets: c.sets}
			err := look.verdict()
			if command.ExitCode(err) != c.code || c.text != "" && err.Error() != c.text {
				t.Errorf("%s: %v", c.reason, err)
			}
			if got := look.sum(); !strings.Contains(got, c.sum) {
				t.Errorf("%s: %q, want %q", c.reason, got, c.sum)
			}
		})
	}
}

// TestATakeoverIsToldInLines, each in one: what has a problem is told by that alone.
func TestATakeoverIsToldInLines(t *testing.T) {
	for want, c := range map[string]takeover.Comparison{"no change": sameApp, "1 object would change": movedApp, "cannot be compared: no chart is there": brokenApp, "cannot be compared: late": doubtful} {
		if got := foretold(&c); got != want {
			t.Errorf("%s: %q, want %q", c.Name, got, want)
		}
	}
	rows := takeoverTable([]takeover.Comparison{movedApp}).Rows
	if got := strings.Join(rows[1], "|"); len(rows) != 2 || got != "||||  update Deployment.apps shop/web: spec.replicas, spec.paused" {
		t.Errorf("the change is told as %q", got)
	}
	var words []string
	for _, row := range setsTable([]takeover.SetComparison{sameSet, movedSet, brokenSet}).Rows {
		words = append(words, strings.TrimSpace(strings.Join(row, " ")))
	}
	if diff := cmp.Diff([]string{"same no change", "moved 1 Application would change", "shop would be " + movedSet.Changes[0].String(), "broken cannot be expanded: no list"}, words); diff != "" {
		t.Errorf("sets (-want +got):\n%s", diff)
	}
	if got := told(takeover.Finding{Detail: "it stays"}) + "|" + told(takeover.Finding{Detail: "it goes", Do: "set url"}); got != "it stays|it goes; set url" {
		t.Errorf("findings are told as %q", got)
	}
}

// TestProgramsReadTheReportAlone: steps of a takeover are beside it.
func TestProgramsReadTheReportAlone(t *testing.T) {
	for output, beside := range map[string]bool{table.AsTable: false, table.AsWide: false, table.AsJSON: true, table.AsYAML: true} {
		var out, errs bytes.Buffer
		i := &importFlags{Global: &command.Global{Streams: command.Streams{Out: &out, Err: &errs}}, output: output}
		i.sayf("a %s", "step")
		if (out.Len() == 0) != beside || out.String()+errs.String() != "a step\n" {
			t.Errorf("%s: %q and %q", output, out.String(), errs.String())
		}
	}
	look := &argoLook{installation: &takeover.Installation{Namespace: "argocd"}, comparisons: []takeover.Comparison{doubtful}, sets: []takeover.SetComparison{movedSet}}
	text, err := json.Marshal(look.report())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"same":false,"problem":"late","changes":[{"action":"update","group":"apps","kind":"Deployment","namespace":"shop","name":"web","fields":["spec.replicas","spec.paused"]}]`, `"applicationSets":[{"name":"moved","changes":[{"action":"prune","application":"shop"}]}]`, `"blockers":["`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	empty, err := json.Marshal((&argoLook{installation: &takeover.Installation{}}).report())
	if err != nil || !strings.Contains(string(empty), `"applications":[]`) {
		t.Errorf("no applications are a list, too: %s, %v", empty, err)
	}
}

// TestATakeoverThatWasCutOff says how to go on; another end is told as it is.
func TestATakeoverThatWasCutOff(t *testing.T) {
	var errs bytes.Buffer
	i := &importFlags{Global: &command.Global{Streams: command.Streams{Err: &errs}}}
	broken := errors.New("broken")
	if err := i.halfWay(t.Context(), "", broken); !errors.Is(err, broken) || err.Error() != "broken" {
		t.Errorf("got %v", err)
	}
	if err := i.halfWay(t.Context(), "cannot hand back", broken); err == nil || err.Error() != "cannot hand back: broken" || errs.Len() > 0 {
		t.Errorf("got %v and %q", err, errs.String())
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := i.halfWay(over, "cannot hand back", broken); !errors.Is(err, command.ErrStopped) || !strings.Contains(errs.String(), "run it again to go on, or hand back with causeway import argocd --revert") {
		t.Errorf("got %v and %q", err, errs.String())
	}
}
