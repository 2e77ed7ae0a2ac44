package bridge

import (
	"strings"
	"testing"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

func TestPatternsAreToldOfAsTheyWereWritten(t *testing.T) {
	cases := map[string]struct{ reason, pattern, want string }{
		"Bracket": {"nothing is in the error that nobody wrote", "([", `key region: its pattern "([" is no regular expression of RE2: missing closing ] in "["`},
		"Large":   {"few characters repeat much", strings.Repeat(".{0,1000}", 10), "key region: the regular expression"},
		"Group":   {"a group that is closed by what is put around it", "a)(b", `its pattern "a)(b" is no regular expression of RE2: unexpected )`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &causeway.MetadataSchema{}
			s.Spec.Keys = []causeway.MetadataRule{{Key: "region", Pattern: tc.pattern}}
			_, err := NewSchema(s)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "?:") {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
