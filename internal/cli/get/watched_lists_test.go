package get

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// watched follows a list of projects that is so at one look after another, and then cannot be read any more.
func watched(t *testing.T, f *flags, looks [][]rows.Row, end func(cancel context.CancelFunc) error) (string, error) {
	t.Helper()
	var out bytes.Buffer
	f.Global = &command.Global{Streams: command.Streams{Out: &out, Err: &out}}
	var err error
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		next := 1
		err = f.follow(ctx, projectKind(), looks[0], func(context.Context) ([]rows.Row, error) {
			if next == len(looks) {
				return nil, end(cancel)
			}
			next++
			return looks[next-1], nil
		})
	})
	return out.String(), err
}

func projectLine(name, repositories, age string) rows.Row {
	return rows.Row{Name: name, Cells: []string{name, repositories, "0", age, ""}, Object: name}
}

// TestWatchedListsTellEachChangeOnce, and nothing of what was printed at the beginning.
func TestWatchedListsTellEachChangeOnce(t *testing.T) {
	a, b, later, more := projectLine("a", "1", "1m"), projectLine("b", "1", "1m"), projectLine("a", "1", "2m"), projectLine("a", "2", "2m")
	broken := errors.New("the hub is away")
	fails := func(context.CancelFunc) error { return broken }
	cases := map[string]struct {
		reason, output string
		looks          [][]rows.Row
		want           string
	}{
		"same":    {"nothing has changed", table.AsName, [][]rows.Row{{a, b}, {a, b}, {a, b}}, ""},
		"older":   {"to grow older is no change", table.AsName, [][]rows.Row{{a}, {later}}, ""},
		"changed": {"one of two, once", table.AsName, [][]rows.Row{{a, b}, {more, b}, {more, b}}, "appproject.argoproj.io/a\n"},
		"back":    {"what is as it was before has changed, too", table.AsName, [][]rows.Row{{a}, {more}, {a}}, "appproject.argoproj.io/a\nappproject.argoproj.io/a\n"},
		"new":     {"what was not there is told", table.AsName, [][]rows.Row{{a}, {a, b}}, "appproject.argoproj.io/b\n"},
		"first":   {"there was nothing at the beginning", table.AsName, [][]rows.Row{nil, {a}}, "appproject.argoproj.io/a\n"},
		"gone":    {"that nothing is left is no list of none", table.AsTable, [][]rows.Row{{a}, nil}, ""},
		"heads":   {"headings stand above the first list alone", table.AsTable, [][]rows.Row{{a}, {more}}, "a     2             0             2m\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, err := watched(t, &flags{output: c.output}, c.looks, fails); got != c.want || !errors.Is(err, broken) {
				t.Errorf("%s: %q and %v, want %q", c.reason, got, err, c.want)
			}
		})
	}
}

// TestWatchingEndsByCtrlC without an error, also where that breaks off a look.
func TestWatchingEndsByCtrlC(t *testing.T) {
	a := [][]rows.Row{{projectLine("a", "1", "1m")}}
	if got, err := watched(t, &flags{output: table.AsName}, a, func(cancel context.CancelFunc) error { cancel(); return context.Canceled }); got != "" || err != nil {
		t.Errorf("a look that is broken off: %q, %v", got, err)
	}
	if got, err := watched(t, &flags{output: table.AsName}, a, func(cancel context.CancelFunc) error { cancel(); return nil }); got != "" || err != nil {
		t.Errorf("between two looks: %q, %v", got, err)
	}
}

// TestAWatchedClusterIsNoNewsForAnAnswerThatTookLonger: each of its answers takes another time.
func TestAWatchedClusterIsNoNewsForAnAnswerThatTookLonger(t *testing.T) {
	mark := func(a rows.Answer) string {
		return clusterKind().mark(rows.ClusterRow(target.Spoke{Cluster: gitops.Cluster{Name: "dev"}}, fleetstatus.Tally{}, a, nil, nil))
	}
	before := mark(rows.Answer{State: "reachable", Version: "v1.36.3", Latency: 12 * time.Millisecond})
	if mark(rows.Answer{State: "reachable", Version: "v1.36.3", Latency: 40 * time.Millisecond}) != before {
		t.Error("how long it took is told as a change")
	}
	for _, other := range []rows.Answer{{State: "unreachable", Version: "v1.36.3", Latency: 0}, {State: "reachable", Version: "v1.37.0", Latency: 12 * time.Millisecond}} {
		if mark(other) == before {
			t.Errorf("%v is told to nobody", other)
		}
	}
}
