package chart

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	type held struct{ version, from string }
	all := []held{{"1.0.0", "a"}, {"v1.2.0", "b"}, {"1.0.0", "c"}, {"2.0.0-rc.1", "d"}}
	for name, tc := range map[string]struct{ reason, revision, from, fails string }{
		"Newest": {"without a revision it is the newest stable one", "", "b", ""},
		"Exact":  {"of those that have the version it is the first", "1.0.0", "a", ""},
		"Letter": {"a leading v does not count", "1.2.0", "b", ""},
		"Range":  {"the newest that is allowed", "<1.1", "a", ""},
		"None":   {"the versions that there are are named", "3", "", `chart "web" has no version "3"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := choose("web", tc.revision, all, func(h held) string { return h.version })
			if got.from != tc.from || (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("%s: %v, %v", tc.reason, got, err)
			}
		})
	}
}
