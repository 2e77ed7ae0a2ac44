package live

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// TestUnfinishedNamesWhatIsWaitedFor: whoever gives up reads this, and nothing else.
func TestUnfinishedNamesWhatIsWaitedFor(t *testing.T) {
	ready := []fleetstatus.Cluster{{Name: "hub", State: fleetstatus.Ready}}
	late := app("shop", "hub", "Synced", "Progressing")
	waits := late
	waits.Message = "Deployment shop/web:\n 0 of 1"
	cases := map[string]struct {
		reason string
		s      fleetstatus.Snapshot
		want   string
	}{
		"silent":   {"nothing is known of it but that it is not well", fleetstatus.Snapshot{Clusters: ready, Apps: []fleetstatus.App{late}}, "  shop: Progressing"},
		"waits":    {"it says what it waits for", fleetstatus.Snapshot{Clusters: ready, Apps: []fleetstatus.App{waits}}, "  shop: Progressing, Deployment shop/web: 0 of 1"},
		"set":      {"a set that is not expanded may yet make applications", fleetstatus.Snapshot{Clusters: ready, Sets: []fleetstatus.Set{{Name: "addons"}, {Name: "done", Done: true}}}, "  appset addons: not expanded yet"},
		"sick set": {"a set that cannot be expanded has one line", fleetstatus.Snapshot{Clusters: ready, Sets: []fleetstatus.Set{{Name: "addons", Problem: "no list"}}}, "  appset addons: no list"},
		"failed":   {"a cluster that failed is not starting", fleetstatus.Snapshot{Clusters: []fleetstatus.Cluster{{Name: "dev", State: fleetstatus.Failed, Error: "no room"}}}, "  cluster dev: no room"},
		"files":    {"the fleet's own files come first", fleetstatus.Snapshot{Fleet: "f", Problem: "line 3", Clusters: ready, Apps: []fleetstatus.App{late}}, "  fleet f: line 3\n  shop: Progressing"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Unfinished(c.s); got != c.want {
				t.Errorf("%s: got\n%s\nwant\n%s", c.reason, got, c.want)
			}
		})
	}
}

// TestLinesTellWhatIsNew, once, and again where it comes again.
func TestLinesTellWhatIsNew(t *testing.T) {
	with := func(change func(*fleetstatus.Snapshot)) fleetstatus.Snapshot {
		s := starting()
		change(&s)
		return s
	}
	down := with(func(s *fleetstatus.Snapshot) {
		s.Clusters[1].State, s.Clusters[1].Error = fleetstatus.Failed, "no\nroom"
	})
	sick := with(func(s *fleetstatus.Snapshot) { s.Sets = []fleetstatus.Set{{Name: "a", Problem: "\x1b[2Jno list"}} })
	sicker := with(func(s *fleetstatus.Snapshot) { s.Sets = []fleetstatus.Set{{Name: "a", Problem: "no folder"}} })
	declared := with(func(s *fleetstatus.Snapshot) {
		s.Watching, s.Apps = true, []fleetstatus.App{app("a", "made-by-git", "Synced", "Healthy")}
	})
	cases := map[string]struct {
		reason        string
		before, after fleetstatus.Snapshot
		want          []string
	}{
		"same":     {"nothing has changed", down, down, nil},
		"failed":   {"a cluster that fails is told once, not as a problem besides", starting(), down, []string{"cluster staging failed: no room"}},
		"problem":  {"a terminal is told nothing by it", starting(), sick, []string{"appset a: \ufffd[2Jno list"}},
		"still":    {"a problem that stays is no news", sick, sick, nil},
		"another":  {"another problem of the same one is new", sick, sicker, []string{"appset a: no folder"}},
		"over":     {"what is over is shown by what comes then", sick, starting(), nil},
		"again":    {"and is told when it comes back", starting(), sicker, []string{"appset a: no folder"}},
		"declared": {"those of clusters that Git declares are on none of the fleet's", starting(), declared, []string{"1 of 1 application Synced and Healthy"}},
		"step":     {"no step is no news", starting(), with(func(s *fleetstatus.Snapshot) { s.Step = "" }), nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, line := range Lines(c.before, c.after, start.Add(-time.Second)) { // clocks are set back, too
				told, ok := strings.CutPrefix(line, "   0.0 s  ")
				if !ok {
					t.Errorf("%s: no time in %q", c.reason, line)
				}
				got = append(got, told)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}
