package store

import (
	"testing"
	"time"
)

// TestBegan asks what was begun of what an application was asked for.
func TestBegan(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key})
		one := aSync("web", 1, func(s *Sync) { s.Request = "one" })
		s.Sync(one)
		s.Sync(aSync("web", 2))
		other := one.App
		other.UID = "made-anew"
		for name, tc := range map[string]struct {
			reason  string
			app     App
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
