package guard

import "testing"

// TestCurrentSettings: each text counts as soon as it is there, and what is wrong with it
// is told once.
func TestCurrentSettings(t *testing.T) {
	c := &Current{}
	for i, step := range []struct {
		reason, text string
		share        float64
		fails        bool
	}{
		{"who says nothing has the defaults", "", Defaults().Application.Share, false},
		{"what is said counts", "application: {maxShare: 10}", 10, false},
		{"and goes on to count", "application: {maxShare: 10}", 10, false},
		{"what cannot be read is told, and the defaults hold", "application: {maxShare: most}", Defaults().Application.Share, true},
		{"it is told once", "application: {maxShare: most}", Defaults().Application.Share, false},
		{"what is corrected counts", "application: {maxShare: 20}", 20, false},
		{"who makes the same mistake again is told again", "application: {maxShare: most}", Defaults().Application.Share, true},
		{"what is taken back leaves nothing", "", Defaults().Application.Share, false},
	} {
		if got, err := c.Of(step.text); got.Application.Share != step.share || (err != nil) != step.fails {
			t.Errorf("%d: %s: %v, %v", i, step.reason, got.Application, err)
		}
	}
}
