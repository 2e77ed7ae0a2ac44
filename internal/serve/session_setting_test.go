package serve

import (
	"log/slog"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/session"
)

func TestSessionLife(t *testing.T) {
	data := map[string]string{}
	l := &sessionLife{settings: func() map[string]string { return data }, log: slog.New(slog.DiscardHandler)}
	for _, tc := range []struct {
		reason, text string
		want         time.Duration
	}{
		{"nobody says", "", 24 * time.Hour},
		{"hours", "12h", 12 * time.Hour},
		{"it is followed", "30m", 30 * time.Minute},
		{"days, which Go does not know", "7d", 7 * 24 * time.Hour},
		{"several units, which Argo CD does not know", "1h30m", 90 * time.Minute},
		{"a word", "long", session.Life},
		{"too short to sign in", "5s", session.Life},
		{"nothing", "0s", session.Life},
		{"less than nothing", "-3h", session.Life},
		{"too long", "9999d", session.MaxLife},
		{"more than there is", "99999999h", session.Life},
		{"nobody says any more", "", session.Life},
	} {
		data[settingLife] = tc.text
		if got := l.now(); got != tc.want {
			t.Errorf("%s: %q is %s, want %s", tc.reason, tc.text, got, tc.want)
		}
	}
}
