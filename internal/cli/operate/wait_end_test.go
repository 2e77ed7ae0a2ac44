package operate

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
)

// TestWaitsEndForAll: what has ended stays as it was, the others are late, and that one has failed counts for more.
func TestWaitsEndForAll(t *testing.T) {
	key := client.ObjectKey{Namespace: "argocd", Name: "shop"}
	one := func(state string, after time.Duration) *awaited {
		a := &awaited{key: key, name: "shop", app: clitest.Settled(), begun: clitest.Noon, standing: standing{state, "it is so"}}
		if state != stateWaits && state != stateIll {
			a.ended = clitest.Noon.Add(after)
		}
		return a
	}
	cases := map[string]struct {
		reason  string
		all     []*awaited
		want    error
		results []string
	}{
		"reached": {"all are as asked", []*awaited{one(stateReached, time.Second)}, nil, []string{stateReached}},
		"late":    {"one is not yet", []*awaited{one(stateReached, time.Second), one(stateWaits, 0)}, command.ErrLate, []string{stateReached, stateLate}},
		"ill":     {"nor is what may recover", []*awaited{one(stateIll, 0)}, command.ErrLate, []string{stateLate}},
		"failed":  {"that cannot become as asked", []*awaited{one(stateWaits, 0), one(stateFailed, 1), one(stateReached, 1)}, command.ErrSaid, []string{stateLate, stateFailed, stateReached}},
		"nothing": {"there is nothing to wait for", nil, nil, nil},
	}
	for name, c := range cases {
		w := &waiting{all: c.all, now: func() time.Time { return clitest.Noon.Add(time.Minute) }}
		w.end()
		results := w.results()
		if err := w.verdict(); !errors.Is(err, c.want) || len(results) != len(c.results) || results == nil {
			t.Errorf("%s: %s: %v, %+v", name, c.reason, err, results)
			continue
		}
		for i, r := range results {
			if r.Result != c.results[i] || r.Result == stateLate && r.Seconds != 60 || (r.Message == "") != (r.Result == stateReached) {
				t.Errorf("%s: %s: %+v", name, c.reason, r)
			}
		}
	}
}

// TestResultsOfAWait have what is known of the application; of one that was never there, nothing is.
func TestResultsOfAWait(t *testing.T) {
	several := clitest.Settled(func(a *v1alpha1.Application) {
		a.Status.Sync.Revision, a.Status.Sync.Revisions = "", []string{"", clitest.NewCommit, "1.2.0"}
		a.Status.OperationState = nil
	})
	w := &waiting{all: []*awaited{{name: "nobody"}, {name: "shop", app: several}}, now: time.Now}
	got := w.results()
	if r := got[0]; r.revision != "-" || r.Sync != "" || r.Revisions != nil {
		t.Errorf("of none is told %+v", r)
	}
	if r := got[1]; len(r.Revisions) != 2 || r.Revisions[0] != clitest.NewCommit || r.Operation != "" {
		t.Errorf("of one is told %+v", r)
	}
	var out, errs bytes.Buffer
	for output, want := range map[string]string{table.AsTable: "", table.AsJSON: "[]\n"} {
		out.Reset()
		flags := &waitFlags{Global: &command.Global{Streams: command.Streams{Out: &out, Err: &errs}}, output: output}
		if err := flags.printResults([]waited{}); err != nil || out.String() != want {
			t.Errorf("-o %s: %q, %v", output, out.String(), err)
		}
	}
	if errs.String() != "no application is there to wait for\n" {
		t.Errorf("it says %q", errs.String())
	}
}
