package history

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// What became of an object is the word before the remark, and the status where nothing is said.
func TestOutcomes(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		object Object
		want   string
	}{
		"Word":    {"what is said", Object{Message: "created", Status: "Synced"}, "created"},
		"Remark":  {"without a remark", Object{Message: "created; with a warning; of two"}, "created"},
		"Status":  {"else its status", Object{Status: "Pruned"}, "Pruned"},
		"Nothing": {"or nothing", Object{}, ""},
		"Alone":   {"a remark alone is no outcome", Object{Message: ";created", Status: "Synced"}, ""},
		"Unicode": {"in whatever letters", Object{Message: "créé; é"}, "créé"},
	} {
		if got := tc.object.Outcome(); got != tc.want {
			t.Errorf("%s: %s: %q", name, tc.reason, got)
		}
	}
}

// TestWavesOfTwoEngines: a wave is told once, where it began first, and waves of a later try come after those of this one.
func TestWavesOfTwoEngines(t *testing.T) {
	wave := func(number int, try int64, objects ...string) Wave {
		w := tried(try, objects...)
		w.Number = number
		return w
	}
	for name, tc := range map[string]struct {
		reason      string
		before, now []Wave
		want        []string // number, try and outcomes of each
	}{
		"Nothing":   {"neither did anything", nil, nil, nil},
		"First":     {"only the first", []Wave{wave(0, 0, "a created")}, nil, []string{"0 0created"}},
		"Second":    {"only the second", nil, []Wave{wave(0, 0, "a created")}, []string{"0 0created"}},
		"Found":     {"what the second finds as it should be, the first has changed", []Wave{wave(0, 0, "a created")}, []Wave{wave(0, 0, "a unchanged")}, []string{"0 0created"}},
		"Changed":   {"what the second changes it tells itself", []Wave{wave(0, 0, "a created")}, []Wave{wave(0, 0, "a configured")}, []string{"0 0configured"}},
		"Refused":   {"also where it was refused", []Wave{wave(0, 0, "a created")}, []Wave{wave(0, 0, "a refused")}, []string{"0 0refused"}},
		"Another":   {"an object that the first had not is as it was found", []Wave{wave(0, 0, "a created")}, []Wave{wave(0, 0, "b unchanged")}, []string{"0 0unchanged"}},
		"Next":      {"the next wave comes next", []Wave{wave(0, 0, "a created")}, []Wave{wave(1, 0, "b created")}, []string{"0 0created", "1 0created"}},
		"Tries":     {"a try comes before the next one", []Wave{wave(0, 0, "a refused"), wave(0, 2, "a refused")}, []Wave{wave(0, 1, "a created")}, []string{"0 0refused", "0 1created", "0 2refused"}},
		"Other try": {"the same wave of another try is another one", []Wave{wave(0, 0, "a created")}, []Wave{wave(0, 1, "a unchanged")}, []string{"0 0created", "0 1unchanged"}},
	} {
		t.Run(name, func(t *testing.T) {
			was := slices.Clone(tc.before)
			var got []string
			for _, w := range mergeWaves(tc.before, tc.now) {
				for _, o := range w.Objects {
					got = append(got, fmt.Sprint(w.Number, w.Try, o.Outcome()))
				}
			}
			if !slices.Equal(got, tc.want) || cmp.Diff(was, tc.before) != "" {
				t.Errorf("%s: got %q, want %q; of before: %s", tc.reason, got, tc.want, cmp.Diff(was, tc.before))
			}
		})
	}
	phase := wave(0, 0, "a unchanged")
	phase.Phase = gitops.PostSync
	if got := mergeWaves([]Wave{wave(0, 0, "a created")}, []Wave{phase}); len(got) != 2 || got[1].Objects[0].Outcome() != "unchanged" {
		t.Errorf("waves of two phases are one: %+v", got)
	}
}
