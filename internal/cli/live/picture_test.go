package live

import (
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

var plainFrame = Frame{Now: start.Add(time.Minute), Width: 80, Height: 40, Style: Plain()}

// TestTitlesTellHowFarItIs: what is said once for all is not said any more where it is no longer so.
func TestTitlesTellHowFarItIs(t *testing.T) {
	with := func(s fleetstatus.Snapshot, change func(*fleetstatus.Snapshot)) fleetstatus.Snapshot {
		change(&s)
		return s
	}
	sickAgain := with(done(), func(s *fleetstatus.Snapshot) {
		s.Apps = []fleetstatus.App{app("a", "prod", "Synced", "Degraded"), s.Apps[0]}
	})
	cases := map[string]struct {
		reason string
		s      fleetstatus.Snapshot
		want   string
	}{
		"begins":     {"it says what it does", starting(), "Fleet example · starting 3 clusters · 1m00s"},
		"well":       {"it is up", done(), "Fleet example · 2 of 2 applications Synced and Healthy · up 1m00s"},
		"sick again": {"it was well, and is not", sickAgain, "Fleet example · 1 of 2 applications Synced and Healthy · 1m00s"},
		"nothing":    {"no application is none of none", with(starting(), func(s *fleetstatus.Snapshot) { s.Watching, s.Step = true, "rolling out" }), "Fleet example · rolling out · 1m00s"},
		"failed":     {"it is over, however far it was", with(done(), func(s *fleetstatus.Snapshot) { s.Failure = "no room" }), "Fleet example · failed · 1m00s"},
		"stopping":   {"what failed is being stopped", with(done(), func(s *fleetstatus.Snapshot) { s.Failure, s.Step = "no room", fleetstatus.Stopping }), "Fleet example · stopping · 1m00s"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := title(c.s, plainFrame); got != c.want {
				t.Errorf("%s: %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

// TestWhatAnApplicationDoesIsOneWord, that of what keeps it first.
func TestWhatAnApplicationDoesIsOneWord(t *testing.T) {
	cases := map[string]struct {
		reason string
		app    fleetstatus.App
		want   string
		next   string
	}{
		"by hand":  {"a person has to", fleetstatus.App{Name: "a", Manual: true, Sync: "OutOfSync", Message: "of before"}, "by hand", "causeway sync a"},
		"checking": {"what its status says is old", fleetstatus.App{Manual: true, Sync: "OutOfSync", Checking: true, Phase: "Running"}, "checking", ""},
		"syncing":  {"that comes before how it is", fleetstatus.App{Sync: "OutOfSync", Phase: "Running", Message: "waiting for batch/Job:shop/migrate"}, "syncing", "waiting for Job shop/migrate"},
		"new":      {"nobody has compared it", fleetstatus.App{Sync: "Unknown", Health: "Missing"}, "new", ""},
		"differs":  {"it is to be synced", fleetstatus.App{Sync: "OutOfSync", Health: "Healthy"}, "OutOfSync", ""},
		"sick":     {"it is as Git says", fleetstatus.App{Sync: "Synced", Health: "Degraded"}, "Degraded", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, next := doing(c.app), what(c.app); got != c.want || next != c.next {
				t.Errorf("%s: %q and %q, want %q and %q", c.reason, got, next, c.want, c.next)
			}
		})
	}
}

// TestThoseThatWaitLongestComeFirst, after those that are known to wait for something. What has no room is counted.
func TestThoseThatWaitLongestComeFirst(t *testing.T) {
	var s fleetstatus.Snapshot
	for i, name := range []string{"quiet", "young", "old", "well", "broken"} {
		a := app(name, "prod", "Synced", "Progressing")
		a.Since, a.Message = start.Add(-time.Duration(i)*time.Minute), "a Pod"
		s.Apps = append(s.Apps, a)
	}
	s.Apps[0].Message, s.Apps[0].Since = "", start.Add(-time.Hour)
	s.Apps[3].Health, s.Apps[4].Problem = "Healthy", "no chart"
	order := func(room int) string {
		var names []string
		for _, line := range waiting(s, plainFrame, room) {
			names = append(names, strings.Fields(line)[0])
		}
		return strings.Join(names, " ")
	}
	for room, want := range map[int]string{20: "3 old a young a quiet", 5: "3 old young quiet", 4: "3 old young quiet", 3: "3 old …", 2: ""} {
		if got := order(room); got != want {
			t.Errorf("in %d lines: %q, want %q", room, got, want)
		}
	}
	if got := waiting(s, plainFrame, 3); !strings.Contains(got[2], "and 2 more") {
		t.Errorf("how many are not shown: %q", got)
	}
}

// TestProblemsAreCountedWhereTheyHaveNoRoom: the first is always told, in three lines at most.
func TestProblemsAreCountedWhereTheyHaveNoRoom(t *testing.T) {
	s := fleetstatus.Snapshot{Fleet: "f", Problem: strings.Repeat("it is bad ", 40), Sets: []fleetstatus.Set{{Name: "a", Problem: "x"}, {Name: "b", Problem: "y"}}}
	for room, want := range map[int]int{40: 9, 8: 8, 5: 6, 0: 6} {
		got := problems(s, plainFrame, room)
		if len(got) != want || !strings.Contains(got[0], "3 problems") || !strings.HasSuffix(got[4], "…") {
			t.Errorf("in %d lines: %d\n%s", room, len(got), strings.Join(got, "\n"))
		}
		if more := strings.Contains(got[len(got)-1], "more: causeway get apps"); more != (want < 9) {
			t.Errorf("in %d lines, those that are not shown:\n%s", room, strings.Join(got, "\n"))
		}
	}
}

// TestABarIsFullOnceAllAreGood, and no sooner: one of many that is missing is seen.
func TestABarIsFullOnceAllAreGood(t *testing.T) {
	for tally, want := range map[fleetstatus.Tally]int{{Apps: 1000, Good: 999}: barWidth - 1, {Apps: 1000, Good: 1000}: barWidth, {Apps: 1}: 0, {Apps: 3, Good: 1}: 6} {
		if got := strings.Count(bar(tally, plainFrame), "█"); got != want {
			t.Errorf("%+v: %d of %d", tally, got, want)
		}
	}
}

// TestClustersBesideTheFleetAreNamed, a few of them, and none before it is watched what is on them.
func TestClustersBesideTheFleetAreNamed(t *testing.T) {
	s := done()
	for _, on := range []string{"b", "a", "a", "c", "d"} {
		s.Apps = append(s.Apps, app("x", on, "Synced", "Healthy"))
	}
	got := clusters(s, plainFrame)
	if !strings.HasSuffix(got, "  1 application on b\n  2 applications on a\n  … and on other clusters\n") {
		t.Errorf("got\n%s", got)
	}
	s.Watching = false
	if got := clusters(s, plainFrame); strings.Contains(got, "█") {
		t.Errorf("nobody has counted yet:\n%s", got)
	}
}

// TestPlainTextHasNoSigns: what is written to a file is the word alone.
func TestPlainTextHasNoSigns(t *testing.T) {
	plain := Plain()
	for _, word := range []string{"Synced", "OutOfSync", "Degraded", "-", "anything else"} {
		for _, got := range []string{plain.Word(word), plain.Title(word), plain.Dim(word), plain.Added(word), plain.Removed(word), plain.Changed(word), plain.Header(word)} {
			if got != word {
				t.Errorf("%q becomes %q", word, got)
			}
		}
	}
	if got := strings.Join(plain.Signs(), ""); got != "" {
		t.Errorf("it has the signs %q", got)
	}
}
