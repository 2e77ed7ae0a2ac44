package get

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// watched follows a list of projects that is so at one look after another, and then cannot be read any more.
func watched(t *testing.T, f *flags, looks [][]item, end func(cancel context.CancelFunc) error) (string, error) {
	t.Helper()
	var out bytes.Buffer
	f.Global = &command.Global{Streams: command.Streams{Out: &out, Err: &out}}
	var err error
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		next := 1
		err = f.follow(ctx, projectKind(), looks[0], func(context.Context) ([]item, error) {
			if next == len(looks) {
				return nil, end(cancel)
			}
			next++
			return looks[next-1], nil
		})
	})
	return out.String(), err
}

func projectLine(name, repositories, age string) item {
	return item{name: name, cells: []string{name, repositories, "0", age, ""}, object: name}
}

// TestWatchedListsTellEachChangeOnce, and nothing of what was printed at the beginning.
func TestWatchedListsTellEachChangeOnce(t *testing.T) {
	a, b, later, more := projectLine("a", "1", "1m"), projectLine("b", "1", "1m"), projectLine("a", "1", "2m"), projectLine("a", "2", "2m")
	broken := errors.New("the hub is away")
	fails := func(context.CancelFunc) error { return broken }
	cases := map[string]struct {
		reason, output string
		looks          [][]item
		want           string
	}{
		"same":    {"nothing has changed", table.AsName, [][]item{{a, b}, {a, b}, {a, b}}, ""},
		"older":   {"to grow older is no change", table.AsName, [][]item{{a}, {later}}, ""},
		"changed": {"one of two, once", table.AsName, [][]item{{a, b}, {more, b}, {more, b}}, "appproject.argoproj.io/a\n"},
		"back":    {"what is as it was before has changed, too", table.AsName, [][]item{{a}, {more}, {a}}, "appproject.argoproj.io/a\nappproject.argoproj.io/a\n"},
		"new":     {"what was not there is told", table.AsName, [][]item{{a}, {a, b}}, "appproject.argoproj.io/b\n"},
		"first":   {"there was nothing at the beginning", table.AsName, [][]item{nil, {a}}, "appproject.argoproj.io/a\n"},
		"gone":    {"that nothing is left is no list of none", table.AsTable, [][]item{{a}, nil}, ""},
		"heads":   {"headings stand above the first list alone", table.AsTable, [][]item{{a}, {more}}, "a     2             0             2m\n"},
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
	a := [][]item{{projectLine("a", "1", "1m")}}
	if got, err := watched(t, &flags{output: table.AsName}, a, func(cancel context.CancelFunc) error { cancel(); return context.Canceled }); got != "" || err != nil {
		t.Errorf("a look that is broken off: %q, %v", got, err)
	}
	if got, err := watched(t, &flags{output: table.AsName}, a, func(cancel context.CancelFunc) error { cancel(); return nil }); got != "" || err != nil {
		t.Errorf("between two looks: %q, %v", got, err)
	}
}

// TestAWatchedClusterIsNoNewsForAnAnswerThatTookLonger: each of its answers takes another time.
func TestAWatchedClusterIsNoNewsForAnAnswerThatTookLonger(t *testing.T) {
	mark := func(a answered) string {
		return clusterKind().mark(clusterItem(target.Spoke{Cluster: gitops.Cluster{Name: "dev"}}, fleetstatus.Tally{}, a, nil, nil))
	}
	before := mark(answered{"reachable", "v1.36.3", 12 * time.Millisecond})
	if mark(answered{"reachable", "v1.36.3", 40 * time.Millisecond}) != before {
		t.Error("how long it took is told as a change")
	}
	for _, other := range []answered{{"unreachable", "v1.36.3", 0}, {"reachable", "v1.37.0", 12 * time.Millisecond}} {
		if mark(other) == before {
			t.Errorf("%v is told to nobody", other)
		}
	}
}
