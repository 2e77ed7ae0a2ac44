package gitops

import (
	"encoding/json"
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	for text, zero := range map[string]bool{
		"2026-11-28T10:00:00+02:00": false, "9999-12-31T23:59:59Z": false, "9999-12-31T23:59:59-12:00": true, "0001-01-01T00:00:00Z": true, "0001-01-01T00:00:00+12:00": true,
	} {
		written, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		got := Moment(written)
		if got.IsZero() != zero {
			t.Errorf("%s is %v", text, got)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
