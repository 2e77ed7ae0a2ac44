package audit

import (
	"errors"
	"strings"
	"testing"
)

// TestWhatBreaksAChainIsTold: where it is, and what has to be compared with what.
func TestWhatBreaksAChainIsTold(t *testing.T) {
	all := chain(t, entry("a"), entry("b"), entry("c"))
	other := chain(t, entry("x"), entry("y"), entry("z"))
	late, text, err := Link(entry("late"), 0, all[2].hash)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason, expect string
		chain          []kept
		want           string
	}{
		"Text":     {"it was written over", "", []kept{{1, other[0].text, all[0].hash}}, "at entry 1: it is not what was written: its hash is " + other[0].hash + ", and it has " + all[0].hash},
		"Place":    {"it was moved", "", []kept{{1, all[1].text, all[1].hash}}, "at entry 1: entry 2 is in its place"},
		"Back":     {"it comes too late", "", []kept{all[0], all[1], all[0]}, "at entry 1: it comes after entry 2"},
		"Another":  {"it belongs to another chain", "", []kept{all[0], other[1]}, "at entry 2: it does not follow entry 1: it was written after one with the hash " + other[0].hash + ", and that one has " + all[0].hash},
		"Anew":     {"a first one followed another", "", []kept{{1, text, late.Hash}}, "at entry 1: it is the first, and was written after another"},
		"Headless": {"the first are gone", "", all[2:], "at entry 1: it is missing: the first that is left is 3, and no checkpoint vouches for those before it"},
		"Hole":     {"one in the middle is gone", "", []kept{all[0], all[2]}, "at entry 2: it is missing, and no entry vouches for it"},
		"Cut":      {"the end is gone", all[2].hash, all[:2], "at entry 2: it is the last, and none has the hash " + all[2].hash},
		"Emptied":  {"all of it is gone", all[2].hash, nil, "at entry 1: it is missing: there are no entries, and one with the hash " + all[2].hash + " is expected"},
		"JSON":     {"it cannot be read", "", []kept{{1, []byte("{"), Hash([]byte("{"))}}, "at entry 1: it cannot be read: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := verify(tc.chain, tc.expect)
			var broken *Broken
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), "the audit is broken "+tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

// pruned is a chain of eight of which the first are gone, by checkpoints that are its last
// entries.
func pruned(t *testing.T, gone int, through ...int64) []kept {
	t.Helper()
	all := chain(t, entry("a"), entry("b"), entry("c"), entry("d"), entry("e"), entry("f"), entry("g"), entry("h"))
	for _, p := range through {
		last := all[len(all)-1]
		e, text, err := Link(&Entry{Who: Who{Name: Engine}, Verb: "prune", Checkpoint: &Checkpoint{Through: p, Hash: all[p-1].hash}}, last.sequence, last.hash)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, kept{e.Sequence, text, e.Hash})
	}
	return all[gone:]
}

// TestCheckpoints: the last one counts, for neither more nor less than is gone.
func TestCheckpoints(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		chain  []kept
		want   string
	}{
		"One":     {"it vouches for what is gone", pruned(t, 3, 3), ""},
		"Later":   {"a later one vouches for more", pruned(t, 5, 3, 5), ""},
		"Earlier": {"an earlier one does not vouch for what a later one leaves", pruned(t, 5, 5, 3), "at entry 4: the first that is left is 6, and the checkpoint of entry 10 vouches for those up to 3"},
		"Less":    {"what it says is gone has to be gone", pruned(t, 2, 3), "at entry 4: the first that is left is 3, and the checkpoint of entry 9 vouches for those up to 3"},
		"None":    {"where nothing is gone it says nothing", pruned(t, 0, 3), ""},
		"Alone":   {"it may itself be the first that is left", pruned(t, 8, 8), ""},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := verify(tc.chain, "")
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %q", tc.reason, err, tc.want)
			}
			if first, last := tc.chain[0], tc.chain[len(tc.chain)-1]; report.First != first.sequence || report.Last != last.sequence || report.Hash != last.hash || report.Entries != int64(len(tc.chain)) {
				t.Errorf("%s: the report is %+v", tc.reason, report)
			}
		})
	}
}

// TestExpectedEntriesMayBeTooOld: the last one that went for its age was there, as the first
// that is left tells; any before it may have been another.
func TestExpectedEntriesMayBeTooOld(t *testing.T) {
	all := pruned(t, 0, 3)
	if _, err := verify(all[3:], all[2].hash); err != nil {
		t.Errorf("the last that went: %v", err)
	}
	if _, err := verify(all[3:], all[1].hash); err == nil || !strings.Contains(err.Error(), "or what is expected was deleted for its age or for room") {
		t.Errorf("one before it: %v", err)
	}
	// Hash is the only name that an entry has: nothing else is one.
	for _, expect := range []string{strings.ToUpper(all[4].hash), all[4].hash[:12], "4"} {
		if _, err := verify(all, expect); err == nil {
			t.Errorf("%s proves an entry", expect)
		}
	}
}
