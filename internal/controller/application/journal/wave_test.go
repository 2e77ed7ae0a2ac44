package journal

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// wave is what a test looks at of one.
type wave struct {
	Phase   gitops.Phase
	Number  int
	Try     int64
	Started time.Duration // after the sync
	Ended   time.Duration
	Objects map[string]string
}

// shown are the waves of a sync.
func shown(s history.Sync) []wave {
	var out []wave
	for _, w := range s.Waves {
		one := wave{Phase: w.Phase, Number: w.Number, Try: w.Try, Started: w.Started.Sub(at), Objects: map[string]string{}}
		if !w.Ended.IsZero() {
			one.Ended = w.Ended.Sub(at)
		}
		for _, o := range w.Objects {
			one.Objects[o.Name] = o.Message
		}
		out = append(out, one)
	}
	return out
}

// TestWavesOfASync follow each other: one ends where the next begins, and one that is
// sent again goes on.
func TestWavesOfASync(t *testing.T) {
	const s = time.Second
	type sent struct {
		phase  gitops.Phase
		number int
		try    int64
		after  time.Duration
		what   []gitops.Result
	}
	made := func(name string) []gitops.Result { return []gitops.Result{outcome(name, gitops.Created)} }
	cases := map[string]struct {
		reason string
		sent   []sent
		want   []wave
	}{
		"one": {"the last wave has not ended", []sent{{gitops.Sync, 0, 0, s, made("a")}},
			[]wave{{gitops.Sync, 0, 0, s, 0, map[string]string{"a": "created"}}}},
		"numbers": {"the next one ends it", []sent{{gitops.Sync, 0, 0, s, made("a")}, {gitops.Sync, 1, 0, 3 * s, made("b")}},
			[]wave{{gitops.Sync, 0, 0, s, 3 * s, map[string]string{"a": "created"}}, {gitops.Sync, 1, 0, 3 * s, 0, map[string]string{"b": "created"}}}},
		"phases": {"phases have numbers of their own", []sent{{gitops.PreSync, 0, 0, s, made("a")}, {gitops.Sync, 0, 0, 3 * s, made("a")}},
			[]wave{{gitops.PreSync, 0, 0, s, 3 * s, map[string]string{"a": "created"}}, {gitops.Sync, 0, 0, 3 * s, 0, map[string]string{"a": "created"}}}},
		"tries": {"so have tries", []sent{{gitops.Sync, 0, 0, s, made("a")}, {gitops.Sync, 0, 1, 3 * s, made("a")}},
			[]wave{{gitops.Sync, 0, 0, s, 3 * s, map[string]string{"a": "created"}}, {gitops.Sync, 0, 1, 3 * s, 0, map[string]string{"a": "created"}}}},
		"again": {
			"what lacked something is sent again: it began then, and the last word counts",
			[]sent{
				{gitops.Sync, 0, 0, s, []gitops.Result{outcome("a", gitops.Created), outcome("b", "no such kind")}},
				{gitops.Sync, 0, 0, 3 * s, made("b")},
			},
			[]wave{{gitops.Sync, 0, 0, s, 0, map[string]string{"a": "created", "b": "created"}}},
		},
		"empty": {"a wave may have no object", []sent{{gitops.Sync, 0, 0, s, nil}, {gitops.Sync, 1, 0, 2 * s, made("a")}},
			[]wave{{gitops.Sync, 0, 0, s, 2 * s, map[string]string{}}, {gitops.Sync, 1, 0, 2 * s, 0, map[string]string{"a": "created"}}}},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			c, tg := &clock{at}, syncing(at)
			j := NewJournal(&told{}, c.Now)
			for _, w := range tc.sent {
				c.now, tg.App.Status.OperationState.RetryCount = at.Add(w.after+s/2), w.try
				j.Waved(tg, &gitops.Wave{Phase: w.phase, Number: w.number}, at.Add(w.after), w.what)
				if got := j.Open(tg).Sync.Waves; !got[len(got)-1].Applied.Equal(c.now) {
					t.Errorf("%s: it was applied at %s", tc.reason, got[len(got)-1].Applied)
				}
			}
			if diff := cmp.Diff(tc.want, shown(j.Open(tg).Sync)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestObjectsOfAWave: what one try has told of, a later one tells again only where it
// is news.
func TestObjectsOfAWave(t *testing.T) {
	refused := outcome("a", "refused")
	refused.Status = "SyncFailed"
	pruned := outcome("a", "pruned")
	pruned.Verb, pruned.Deleted, pruned.Status = gitops.Prune, true, "Pruned"
	spared := pruned
	spared.Deleted, spared.Status = false, "PruneSkipped"
	cases := map[string]struct {
		reason        string
		first, second gitops.Result
		again         bool // it is sent again in the same try
		want          string
		unchanged     int
		pruned        bool
	}{
		"unchanged": {"it is as the first try left it", outcome("a", gitops.Created), outcome("a", gitops.Unchanged), false, "", 1, false},
		"remark":    {"also with a remark", outcome("a", gitops.Created), outcome("a", gitops.Unchanged+"; it is shared"), false, "", 1, false},
		"changed":   {"it was changed once more", outcome("a", gitops.Created), outcome("a", gitops.Configured), false, "configured", 0, false},
		"written":   {"it was refused, and is there now", refused, outcome("a", gitops.Unchanged), false, "unchanged", 0, false},
		"refused":   {"it is refused once more", refused, refused, false, "refused", 0, false},
		"again":     {"in the same try the last word counts", outcome("a", "no such kind"), outcome("a", gitops.Unchanged), true, "unchanged", 0, false},
		"deleted":   {"what a sync deleted it has deleted, whatever it makes of it then", pruned, outcome("a", gitops.Created), true, "created", 0, true},
		"spared":    {"what it only would delete it has not", spared, outcome("a", gitops.Created), true, "created", 0, false},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			j, tg := NewJournal(&told{}, (&clock{at}).Now), syncing(at)
			j.Waved(tg, &gitops.Wave{Phase: gitops.Sync}, at, []gitops.Result{tc.first})
			if !tc.again {
				tg.App.Status.OperationState.RetryCount = 1
			}
			j.Waved(tg, &gitops.Wave{Phase: gitops.Sync}, at, []gitops.Result{tc.second})
			waves := j.Open(tg).Sync.Waves
			last := waves[len(waves)-1]
			var said string
			var deleted bool
			for i := range last.Objects {
				said, deleted = said+last.Objects[i].Message, last.Objects[i].Pruned
			}
			if said != tc.want || last.Unchanged != tc.unchanged || deleted != tc.pruned {
				t.Errorf("%s: got %q, %d unchanged, deleted: %t", tc.reason, said, last.Unchanged, deleted)
			}
		})
	}
}

// TestObjectOfTwoWaves is told of by both: only what an earlier try had is no news.
func TestObjectOfTwoWaves(t *testing.T) {
	j, tg := NewJournal(&told{}, (&clock{at}).Now), syncing(at)
	j.Waved(tg, &gitops.Wave{Phase: gitops.PreSync}, at, []gitops.Result{outcome("a", gitops.Created)})
	j.Waved(tg, &gitops.Wave{Phase: gitops.Sync}, at, []gitops.Result{outcome("a", gitops.Unchanged)})
	if w := j.Open(tg).Sync.Waves[1]; len(w.Objects) != 1 || w.Unchanged != 0 {
		t.Errorf("the second one tells of %+v", w)
	}
}

// TestWavesThatWereHandedOutStay as they were: the history writes them later.
func TestWavesThatWereHandedOutStay(t *testing.T) {
	h, tg := &told{}, syncing(at)
	j := NewJournal(h, (&clock{at}).Now)
	j.Waved(tg, &gitops.Wave{Phase: gitops.Sync}, at, []gitops.Result{outcome("a", "no such kind")})
	j.Advance(tg, nil)
	before := shown(h.last())
	healthy := []history.Change{{At: at, Kind: "ConfigMap", Namespace: "shop", Name: "a", To: gitops.Healthy}}
	j.Advance(tg, healthy)
	j.Waved(tg, &gitops.Wave{Phase: gitops.Sync}, at, []gitops.Result{outcome("a", gitops.Created), outcome("b", gitops.Created)})
	j.Waved(tg, &gitops.Wave{Phase: gitops.Sync, Number: 1}, at.Add(time.Minute), nil)
	if diff := cmp.Diff(before, shown(h.syncs[0])); diff != "" {
		t.Errorf("what was told first (-then +now):\n%s", diff)
	}
	if w := h.syncs[0].Waves[0].Objects[0]; !w.Healthy.IsZero() {
		t.Errorf("what was told first is healthy at %s", w.Healthy)
	}
}

// TestLongWordsOfObjectsAreCut, or the largest Application would not fit.
func TestLongWordsOfObjectsAreCut(t *testing.T) {
	j, tg := NewJournal(&told{}, (&clock{at}).Now), syncing(at)
	j.Waved(tg, &gitops.Wave{}, at, []gitops.Result{outcome("a", strings.Repeat("é", 100_000))})
	if got := j.Open(tg).Sync.Waves[0].Objects[0].Message; len(got) > 2<<10 || !strings.HasPrefix(got, "éé") {
		t.Errorf("%d bytes are kept of what was said", len(got))
	}
}
