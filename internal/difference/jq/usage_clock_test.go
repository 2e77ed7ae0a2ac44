package jq

import (
	"strings"
	"testing"
	"time"
)

// TestBusyMachine: an evaluation that hardly gets the processor is not told that
// it takes too long, unless nobody can wait for it.
func TestBusyMachine(t *testing.T) {
	used, ago := processTime(), func(d time.Duration) time.Time { return time.Now().Add(-d) }
	const long = 1000 * time.Hour // more than the test has used
	cases := map[string]struct {
		reason string
		c      clock
		over   bool
	}{
		"new":     {"it begins", clock{time.Now(), used}, false},
		"waits":   {"seconds have passed, in which others had the processor", clock{ago(5 * within), used + long}, false},
		"used up": {"it had its second", clock{ago(5 * within), used - 2*within}, true},
		"beside":  {"the collector has used more than there was time", clock{ago(-time.Hour), used - long}, false},
		"forever": {"nobody waits longer", clock{ago(patience + within), used + long}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.c.over(within, patience); got != tc.over {
				t.Errorf("%s: over is %t", tc.reason, got)
			}
		})
	}
}

// TestWorkersTellWhatTheyUsed, also of what they stop.
func TestWorkersTellWhatTheyUsed(t *testing.T) {
	p := poolOf(t)
	for text, stopped := range map[string]bool{".spec.containers[1:]": false, ".spec | select([range(1e9)] | last == 1)": true, ".spec | select(last(range(1e15)) == 1)": true} {
		begun := time.Now()
		a, took, err := p.ask(t.Context(), "", question{Verb: find, Text: text, Object: object()})
		if (err != nil) != stopped || took <= 0 || took > time.Since(begun) {
			t.Errorf("%s: %+v took %s of %s, %v", text, a, took, time.Since(begun), err)
		}
		if a != nil && (a.Took <= 0 || took > a.Took) {
			t.Errorf("%s: it is counted as %s, the worker used %s", text, took, a.Took)
		}
	}
}

// TestClockEndsAnEvaluation that has had its time.
func TestClockEndsAnEvaluation(t *testing.T) {
	c := &clock{time.Now().Add(-patience - within), processTime()}
	limited, cancel := c.within(t.Context())
	defer cancel()
	q, err := Parse("", "", ".spec | select(last(range(1e15)) == 1)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.evaluate(limited, question{Verb: find, Object: object()}); err == nil || !strings.Contains(err.Error(), "did not end") || limited.Err() == nil {
		t.Errorf("it ended with %v", err)
	}
}
