package git

import (
	"encoding/json"
	"testing"
	"time"
)

// TestDatesOfAuthors: Git takes any seconds, of which some are no time that can be
// told.
func TestDatesOfAuthors(t *testing.T) {
	for text, want := range map[string]time.Time{
		"A <a@b> 1 +0000":             time.Unix(1, 0).UTC(),
		"A <a@b> 253402300799 +0000":  time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		"A <a@b> 253402300800 +0000":  {},
		"A <a@b> 999999999999 +0000":  {},
		"A <a@b> -99999999999 +0000":  {},
		"A <a@b> later":               {},
		"A <a@b> 1e3 +0000":           {},
		"A <a@b> 9223372036854775807": {},
	} {
		name, got := parseAuthor(text)
		if name != "A <a@b>" || !got.Equal(want) {
			t.Errorf("%s: %s, %v, want %v", text, name, got, want)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
