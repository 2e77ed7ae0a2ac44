package bridge

import (
	"fmt"
	"strings"
	"testing"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
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

func TestFewViolationsTellWhatIsNear(t *testing.T) {
	s := &causeway.MetadataSchema{}
	s.Spec.Closed, s.Spec.Keys = true, []causeway.MetadataRule{{Key: "a-name"}}
	schema, err := NewSchema(s)
	if err != nil {
		t.Fatal(err)
	}
	c := gitops.Cluster{Name: "spoke", Secret: "spoke", Annotations: map[string]string{}}
	for i := range 3 * maxNear {
		c.Annotations[fmt.Sprint("a-name", i)] = "x"
	}
	found, near := schema.Check(c), 0
	for _, v := range found {
		if strings.Contains(v.Message, "did you mean") {
			near++
		}
	}
	if len(found) != 3*maxNear || near != maxNear {
		t.Errorf("of %d violations %d tell what is near; want %d", len(found), near, maxNear)
	}
}
