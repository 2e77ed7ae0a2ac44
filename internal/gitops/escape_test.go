package gitops

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadings(t *testing.T) {
	nested := func(depth int) string { return "%" + strings.Repeat("25", depth) + "2e" }
	cases := map[string]struct {
		reason, path string
		want         []string
		whole        bool
	}{
		"Plain":    {"nothing is escaped", "/a/b", []string{"/a/b"}, true},
		"Once":     {"as a server reads it", "/%2e%2E/b", []string{"/%2e%2E/b", "/../b"}, true},
		"Twice":    {"as two of them do", "/%252e/b", []string{"/%252e/b", "/%2e/b", "/./b"}, true},
		"Broken":   {"an escape that nobody reads hides no other", "/%zz/%2e%", []string{"/%zz/%2e%", "/%zz/.%"}, true},
		"Later":    {"nor one that comes of another", "%25zz/%252e", []string{"%25zz/%252e", "%zz/%2e", "%zz/."}, true},
		"Joined":   {"one may come of two signs", "%2%35e", []string{"%2%35e", "%25e", "%e"}, true},
		"Deep":     {"as deep as is looked", nested(7), []string{nested(7), nested(6), nested(5), nested(4), nested(3), nested(2), nested(1), nested(0), "."}, true},
		"Too deep": {"which has an end", nested(8), []string{nested(8), nested(7), nested(6), nested(5), nested(4), nested(3), nested(2), nested(1), nested(0)}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, whole := Readings(tc.path)
			if diff := cmp.Diff(tc.want, got); diff != "" || whole != tc.whole {
				t.Errorf("%s: whole %v (-want +got):\n%s", tc.reason, whole, diff)
			}
		})
	}
}
