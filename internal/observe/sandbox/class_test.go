package sandbox

import (
	"errors"
	"strings"
	"testing"
)

// TestClassesAgreeWithTheInterpreter: each class of letters, and sets of them, over all bytes.
func TestClassesAgreeWithTheInterpreter(t *testing.T) {
	for _, class := range []string{
		"%a", "%A", "%c", "%C", "%d", "%D", "%l", "%L", "%p", "%P", "%s", "%S", "%u", "%U", "%w", "%W", "%x", "%X", "%z", "%Z", "%.", "%%", "%-", "%q", ".", "x",
		"[%a_]", "[^%d]", "[a-f]", "[f-a]", "[%-x]", "[-x]", "[x-]", "[]x]", "[^]x]", "[a%-z]", "[%w%s]", "[^%S]", "[0-9a-f]", "[+-/]",
	} {
		source := `local out = "" for i = 0, 255 do if string.char(i):match("^` + class + `$") then out = out .. i .. " " end end return out`
		want, err := plain(source)
		if err != nil {
			t.Fatalf("the interpreter has no answer to %s: %v", class, err)
		}
		if got, err := NewOpen(source).Run(nil); err != nil || got != want {
			t.Errorf("of %s are %v, %v; want %s", class, got, err, want)
		}
	}
}

// TestLimitsStay: once a limit is reached, nothing that a script catches lets it go on, and the first one is told.
func TestLimitsStay(t *testing.T) {
	m := newMeter()
	m.reset()
	if m.Done() != nil || m.work(maxSteps-lookAtClock) != nil || m.charge(maxBytes) != nil {
		t.Fatalf("what is allowed is not: %v", m.Err())
	}
	if err := m.charge(1); !errors.Is(err, errBudget) || !strings.Contains(err.Error(), "it allocated more than 64 MiB") {
		t.Errorf("one byte more: %v", err)
	}
	if err := m.text(maxText + 1); !strings.Contains(err.Error(), "it allocated more than 64 MiB") {
		t.Errorf("a second limit hides the first: %v", err)
	}
	if m.Done() == nil || m.work(1) == nil {
		t.Error("it goes on")
	}
	if m.reset(); m.Err() != nil || m.Done() != nil {
		t.Errorf("the next run is stopped for it: %v", m.Err())
	}
	if err := m.work(maxSteps + lookAtClock); !errors.Is(err, errBudget) || !strings.Contains(err.Error(), "it took more than 10 million steps") {
		t.Errorf("too many steps: %v", err)
	}
}

// TestLongSetsAreCounted: a set may be as long as a text, and is looked through for
// each letter of another one.
func TestLongSetsAreCounted(t *testing.T) {
	const letters, members = 100, 100 * bytesPerStep
	text, set := strings.Repeat("x", letters), "["+strings.Repeat("y", members)+"x]"
	for name, tc := range map[string]struct{ reason, pattern string }{
		"Most":  {"as many letters as there are", set + "*"},
		"Least": {"as few as will do", set + "-$"},
		"Each":  {"one after the other", strings.Repeat(set, letters)},
	} {
		t.Run(name, func(t *testing.T) {
			steps := 0
			m := &matcher{text: text, pattern: tc.pattern, work: func(n int) error { steps += n; return nil }}
			if m.at(0, 0); steps < letters*members/bytesPerStep {
				t.Errorf("%s: %d steps, %v", tc.reason, steps, m.err)
			}
			spent := 0
			m = &matcher{text: text, pattern: tc.pattern, work: func(n int) error {
				if spent += n; spent > members {
					return errBudget
				}
				return nil
			}}
			if end := m.at(0, 0); end != none || !errors.Is(m.err, errBudget) {
				t.Errorf("%s: it ends at %d with %v", tc.reason, end, m.err)
			}
		})
	}
}
