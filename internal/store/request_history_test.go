package store

import (
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/history"
)

// TestBegan asks what was begun of what an application was asked for.
func TestBegan(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key})
		one := aSync("web", 1, func(s *history.Sync) { s.Request = "one" })
		s.Sync(one)
		s.Sync(aSync("web", 2))
		other := one.App
		other.UID = "made-anew"
		for name, tc := range map[string]struct {
			reason  string
			app     history.App
			request string
			since   time.Time
			want    bool
		}{
			"begun":   {"it is there", one.App, "one", at, true},
			"other":   {"nobody asked for that", one.App, "two", at, false},
			"another": {"an application of the same name asked for nothing", other, "one", at, false},
			"later":   {"what was begun before is not looked at", one.App, "one", at.Add(time.Hour), false},
		} {
			if got, err := s.Began(t.Context(), tc.app, tc.request, tc.since); err != nil || got != tc.want {
				t.Errorf("%s: %s: got %t, %v", name, tc.reason, got, err)
			}
		}
	})
}

// TestPassed asks whether what is said to run is over.
func TestPassed(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key})
		over := aSync("web", 1)
		runs := aSync("web", 2, func(s *history.Sync) { s.Finished, s.Phase = time.Time{}, "Running" })
		s.Sync(over)
		s.Sync(runs)
		s.Sync(aSync("other", 9))
		made := over.App
		made.UID = "made-anew"
		for name, tc := range map[string]struct {
			reason string
			app    history.App
			of     history.Sync
			want   bool
		}{
			"over":   {"it has ended", over.App, over, true},
			"runs":   {"it is the last one, and has not", over.App, runs, false},
			"begins": {"nobody has told of it yet", over.App, aSync("web", 3), false},
			"pruned": {"it is not there any more, and a later one is", over.App, aSync("web", 0), true},
			"anew":   {"later ones are of an application of the same name", made, aSync("web", 0), false},
		} {
			if got, err := s.Passed(t.Context(), tc.app, tc.of.ID, tc.of.Started); err != nil || got != tc.want {
				t.Errorf("%s: %s: got %t, %v", name, tc.reason, got, err)
			}
		}
	})
}
