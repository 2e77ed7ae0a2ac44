package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// waveOf is a wave of a try with objects, each "name outcome".
func waveOf(try int64, objects ...string) history.Wave {
	w := history.Wave{Phase: gitops.Sync, Try: try, Started: at.Add(time.Duration(try) * time.Minute)}
	for _, o := range objects {
		name, outcome, _ := strings.Cut(o, " ")
		one := history.Object{Kind: "ConfigMap", Name: name, Status: "Synced", Message: outcome}
		switch outcome {
		case "pruned":
			one.Status, one.Pruned = "Pruned", true
		case "refused":
			one.Status = "SyncFailed"
		}
		w.Objects = append(w.Objects, one)
	}
	return w
}

// inWords is a sync's waves in words: the try, and its objects, with ! where one was deleted.
func inWords(s *history.Sync) string {
	var out []string
	for i := range s.Waves {
		words := []string{fmt.Sprint(s.Waves[i].Try, ":")}
		for _, o := range s.Waves[i].Objects {
			if o.Pruned {
				o.Name += "!"
			}
			words = append(words, o.Name)
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, "; ")
}

// TestSecondEngineOfManyTries: what an engine wrote of the tries before is shortened with
// what comes, and told once.
func TestSecondEngineOfManyTries(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		runs := func(from, to int64) history.Sync {
			return aSync("web", 1, func(s *history.Sync) {
				s.Phase, s.Finished, s.Waves = "Running", time.Time{}, nil
				for try := from; try <= to; try++ {
					s.Waves = append(s.Waves, waveOf(try, "web refused"))
				}
				s.Shorten()
			})
		}
		first := opened(t, Options{URL: url, Key: key})
		first.Sync(runs(0, 9))
		first.flush(t.Context())
		second := opened(t, Options{URL: url, Key: key})
		second.Sync(runs(9, 10))
		got, err := second.Get(t.Context(), runs(0, 0).ID)
		if err != nil {
			t.Fatal(err)
		}
		if want := "0: web; 8: web; 9: web; 10: web"; inWords(got) != want || got.LeftOut != 7 {
			t.Errorf("kept are %s, and %d left out, want %s", inWords(got), got.LeftOut, want)
		}
	})
}

// TestRecordsOfASecondEngine: each of them has what the first engine wrote.
func TestRecordsOfASecondEngine(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		record := func(phase string, waves ...history.Wave) history.Sync {
			return aSync("web", 1, func(s *history.Sync) { s.Phase, s.Finished, s.Waves = phase, time.Time{}, waves })
		}
		numbered := func(number int, objects ...string) history.Wave {
			w := waveOf(0, objects...)
			w.Number = number
			return w
		}
		first := opened(t, Options{URL: url, Key: key})
		first.Sync(record("Running", numbered(0, "db created", "gone pruned")))
		first.flush(t.Context())
		second := opened(t, Options{URL: url, Key: key})
		var id string
		for _, one := range []history.Sync{
			record("Running", numbered(1, "web created")), record("Running", numbered(1, "web created")),
			record("Succeeded", numbered(1, "web created"), numbered(2, "dns created")),
		} {
			id = one.ID
			second.Sync(one)
			second.flush(t.Context())
		}
		got, err := second.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if want := "0: db gone!; 0: web; 0: dns"; inWords(got) != want {
			t.Errorf("kept are %s, want %s", inWords(got), want)
		}
		if want := (history.Counts{Created: 3, Pruned: 1, Total: 4}); got.Changed != want {
			t.Errorf("the counts are %+v, want %+v", got.Changed, want)
		}
	})
}
