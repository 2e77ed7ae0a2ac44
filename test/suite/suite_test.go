package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// scripted is work that ends as it is told: each try takes the next of its outcomes.
type scripted struct {
	mu    sync.Mutex
	tries [][]outcome
	began chan string
	name  string
}

func (s *scripted) next() result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tries) == 0 {
		return result{}
	}
	r := result{cases: s.tries[0]}
	s.tries = s.tries[1:]
	return r
}

func (s *scripted) do(context.Context, io.Writer) result {
	if s.began != nil {
		s.began <- s.name
	}
	return s.next()
}

func (s *scripted) again(context.Context, io.Writer, []outcome) result { return s.next() }

func well(test string) outcome { return outcome{Package: "p", Test: test, Status: passed} }

func bad(test, first string) outcome {
	return outcome{Package: "p", Test: test, Status: failed, First: first, said: first}
}

func TestSuite(t *testing.T) {
	many := make([]outcome, mostAgain+1)
	for i := range many {
		many[i] = bad("Test"+strings.Repeat("x", i+1), "wrong")
	}
	tests := map[string]struct {
		reason string
		tries  [][]outcome
		book   flakyBook
		ok     bool
		want   string
		not    string
	}{
		"Passes":      {"all is well", [][]outcome{{well("TestA")}}, nil, true, "1 tests passed, 0 skipped, 0 failed", "FLAKY"},
		"Fails":       {"what fails twice fails", [][]outcome{{bad("TestA", "a_test.go:1: no")}, {bad("TestA", "no")}}, nil, false, "FAILED: p TestA: a_test.go:1: no", "FLAKY"},
		"Flaky":       {"what passes then is told, and passes", [][]outcome{{bad("TestA", "a_test.go:1: no")}, {well("TestA")}}, nil, true, "FLAKY: p TestA: a_test.go:1: no", "FAILED"},
		"OtherRunner": {"so is what its own runner tried again", [][]outcome{{{Package: "web", Test: "x", Status: passed, Flaky: true}}}, nil, true, "FLAKY: web x", "FAILED"},
		"Conformance": {"what was recorded says the same each time", [][]outcome{{bad("TestSyncConformance", "no")}, {well("TestSyncConformance")}}, nil, false, "FAILED: p TestSyncConformance", "FLAKY"},
		"Recorded":    {"also in a test with another name, and in a part of it", [][]outcome{{bad("TestRecordedApplications/x", "no"), bad("TestRecordedApplications", "")}, {well("TestRecordedApplications")}}, nil, false, "FAILED: p TestRecordedApplications/x", "FLAKY"},
		"Library":     {"and of what another program does", [][]outcome{{bad("TestDifferential/1_x", "no"), bad("TestDifferential", "")}, {well("TestDifferential")}}, nil, false, "FAILED: p TestDifferential/1_x", "FLAKY"},
		"Race":        {"a race is one also when it does not show", [][]outcome{{bad("TestA", "WARNING: DATA RACE")}, {well("TestA")}}, nil, false, "FAILED: p TestA", "FLAKY"},
		"Skipped":     {"what did not run is named, with the reason", [][]outcome{{{Package: "p", Test: "TestA", Status: skipped, First: "a_test.go:1: no terraform"}}}, nil, true, "skipped: p TestA: a_test.go:1: no terraform", "FAILED"},
		"NotRun":      {"a second try that runs another test says nothing of the one that failed", [][]outcome{{bad("TestA", "no")}, {well("TestB"), {Package: "p", Status: passed}}}, nil, false, "FAILED: p TestA: no", "FLAKY"},
		"LeftOut":     {"and so does one that leaves it out", [][]outcome{{bad("TestA/x", "no"), bad("TestA", "")}, {{Package: "p", Test: "TestA", Status: skipped}}}, nil, false, "FAILED: p TestA/x: no", "FLAKY"},
		"Subtest":     {"a subtest has passed with its test", [][]outcome{{bad("TestA/x", "no"), bad("TestA", "")}, {well("TestA")}}, nil, true, "FLAKY: p TestA/x: no", "FAILED"},
		"Many":        {"many are no weather", [][]outcome{many, {well("TestA")}}, nil, false, "6 failed", "FLAKY"},
		"KnownTwice":  {"a test that is known to be flaky is mended first", [][]outcome{{well("TestA")}}, flakyBook{"p TestA": 2}, false, "FAILED: p TestA stands twice", "FLAKY"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := &suite{out: &out, logs: t.TempDir(), book: tc.book}
			s.runAll(t.Context(), []task{{name: "one", load: 1, work: &scripted{tries: tc.tries}}})
			s.again(t.Context())
			if got := s.report(); got != tc.ok {
				t.Errorf("%s: got %v", tc.reason, got)
			}
			if text := out.String(); !strings.Contains(text, tc.want) || strings.Contains(text, tc.not) {
				t.Errorf("%s: wanted %q and not %q in\n%s", tc.reason, tc.want, tc.not, text)
			}
		})
	}
}

// TestTriesOfOneTaskSayNothingOfAnother has tasks over one package, of which each runs other tests, or in another way.
func TestTriesOfOneTaskSayNothingOfAnother(t *testing.T) {
	died := bad("", "panic: the control plane does not start")
	good := outcome{Package: "p", Status: passed}
	tests := map[string]struct {
		reason     string
		one, other [][]outcome
		ok         bool
		failed     int
	}{
		"OneIsWell":     {"the half that fails again has failed", [][]outcome{{died}, {good}}, [][]outcome{{died}, {died}}, false, 1},
		"OtherIsWell":   {"whichever half it is", [][]outcome{{died}, {died}}, [][]outcome{{died}, {good}}, false, 1},
		"OtherWay":      {"a test that fails under the race detector alone has failed", [][]outcome{{bad("TestA", "no")}, {well("TestA")}}, [][]outcome{{bad("TestA", "no")}, {bad("TestA", "no")}}, false, 1},
		"NotTriedAgain": {"a race that one saw is one, though the other passes", [][]outcome{{bad("TestA", "no")}, {well("TestA")}}, [][]outcome{{bad("TestA", "WARNING: DATA RACE")}}, false, 1},
		"BothAreWell":   {"what passes in both at the second try passes", [][]outcome{{died}, {good}}, [][]outcome{{died}, {good}}, true, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := &suite{out: io.Discard, logs: t.TempDir()}
			s.runAll(t.Context(), []task{{name: "one", load: 1, work: &scripted{tries: tc.one}}, {name: "other", load: 1, work: &scripted{tries: tc.other}}})
			s.again(t.Context())
			if got := s.report(); got != tc.ok || len(s.left()) != tc.failed {
				t.Errorf("%s: got %v with %v", tc.reason, got, s.left())
			}
		})
	}
}

func TestLongestFirst(t *testing.T) {
	began := make(chan string)
	var tasks []task
	for name, seconds := range map[string]int{"short": 1, "long": 9, "middle": 5} {
		tasks = append(tasks, task{name: name, load: 1000, usual: time.Duration(seconds) * time.Second, work: &scripted{began: began, name: name}})
	}
	s := &suite{out: io.Discard, logs: t.TempDir()}
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.runAll(t.Context(), tasks)
	}()
	for _, want := range []string{"long", "middle", "short"} {
		if got := <-began; got != want {
			t.Errorf("%s begins before %s", got, want)
		}
	}
	<-over
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the person has gone"))
	s := &suite{out: io.Discard, logs: t.TempDir()}
	s.runAll(ctx, []task{{name: "one", load: 1, work: &scripted{}}})
	if len(s.ended) > 0 {
		t.Error("nothing begins after the end")
	}
}
