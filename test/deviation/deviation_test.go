package deviation

import (
	"fmt"
	"strings"
	"testing"
)

// spy takes what a suite says to its test.
type spy struct {
	testing.TB

	errors  []string
	skipped bool
}

func (s *spy) Helper()                   {}
func (s *spy) Name() string              { return "TestSpied" }
func (s *spy) Logf(string, ...any)       {}
func (s *spy) Skipf(string, ...any)      { s.skipped = true }
func (s *spy) Fatalf(f string, a ...any) { s.Errorf(f, a...) }
func (s *spy) Errorf(f string, a ...any) { s.errors = append(s.errors, fmt.Sprintf(f, a...)) }

// Cases that are not here are left out where somebody reads that they are, and
// fail in CI.
func TestMissing(t *testing.T) {
	for ci, fails := range map[string]bool{"": false, "true": true} {
		t.Setenv("CI", ci)
		s := &spy{}
		Missing(s, "shared/conformance/sync")
		if (len(s.errors) > 0) != fails || !fails && !s.skipped {
			t.Errorf("with CI=%q it says %v, and is skipped: %t", ci, s.errors, s.skipped)
		}
	}
}

const listed = `
- reason: an application has a health
  cases: [waves]
- reason: who comes first decides
  either: true
  cases: [race]
`

func TestTally(t *testing.T) {
	cases := map[string]struct {
		reason   string
		outcomes map[string]string
		recorded int
		want     string
	}{
		"AsListed":  {"what is listed may differ", map[string]string{"waves": "x", "race": "x", "plain": ""}, 3, ""},
		"Either":    {"what differs now and then may agree", map[string]string{"waves": "x", "race": ""}, 2, ""},
		"Unlisted":  {"a difference needs a reason", map[string]string{"waves": "x", "race": "", "plain": "x"}, 3, "plain differs"},
		"Agrees":    {"the list can only shrink", map[string]string{"waves": "", "race": ""}, 2, "waves agrees: take it off"},
		"Gone":      {"the list names cases", map[string]string{"waves": "x"}, 1, "race is on testdata/deviations.yaml and is no case"},
		"CasesLost": {"a reader that loses cases is found out", map[string]string{"waves": "x", "race": ""}, 3, "2 cases were read, fewer than the 3"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tally, err := parse([]byte(listed))
			if err != nil {
				t.Fatal(err)
			}
			s := &spy{TB: t}
			for name, difference := range tc.outcomes {
				tally.Case(s, name, difference)
			}
			tally.End(s, tc.recorded)
			got := strings.Join(s.errors, "\n")
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestListWithoutReason(t *testing.T) {
	for text, want := range map[string]string{
		"- cases: [waves]":                           "no reason",
		listed + "- {reason: again, cases: [waves]}": "listed twice",
		"- {reason: typed, case: [waves]}":           "unknown field",
	} {
		if _, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
