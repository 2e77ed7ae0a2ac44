package operate

import (
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// TestPendingLists: a digest approves its own list of the two and no other, and
// what approves without a person names one.
func TestPendingLists(t *testing.T) {
	held, asking := []string{"/ConfigMap:shop/a", "apps/Deployment:shop/b"}, []string{"/ConfigMap:shop/c"}
	tests := map[string]struct {
		p            pending
		digest       string
		refused      bool
		held, asking int
		instead      string
	}{
		"Both":          {p: pending{held: held, asking: asking}, held: 2, asking: 1, instead: guard.Digest(held)},
		"Held":          {p: pending{held: held, asking: asking}, digest: guard.Digest(held), held: 2, instead: guard.Digest(held)},
		"Asking":        {p: pending{held: held, asking: asking}, digest: "confirm:" + guard.Digest(asking), asking: 1, instead: "confirm:" + guard.Digest(asking)},
		"OnlyAsking":    {p: pending{asking: asking}, asking: 1, instead: "confirm:" + guard.Digest(asking)},
		"BareAsking":    {p: pending{asking: asking}, digest: guard.Digest(asking), refused: true},
		"SameNames":     {p: pending{asking: held}, digest: guard.Digest(held), refused: true},
		"Another":       {p: pending{held: held, asking: asking}, digest: "0123", refused: true},
		"OfNothing":     {p: pending{asking: asking}, digest: guard.Digest(nil), refused: true},
		"OfNothingHeld": {p: pending{held: held}, digest: guard.Digest(nil), refused: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := tc.p.only(tc.digest)
			if tc.refused {
				if err == nil || !strings.Contains(err.Error(), "digest") {
					t.Errorf("it is not refused: %v", err)
				}
				return
			}
			if err != nil || len(tc.p.held) != tc.held || len(tc.p.asking) != tc.asking {
				t.Errorf("approves %v and %v (%v)", tc.p.held, tc.p.asking, err)
			}
			if got := tc.p.instead(); got != "--yes --digest "+tc.instead {
				t.Errorf("without a person: %s", got)
			}
		})
	}
	want := []string{
		"ConfigMap shop/a", "Deployment.apps shop/b", "2 deletions, digest " + guard.Digest(held),
		"ConfigMap shop/c", "1 deletion to confirm, digest confirm:" + guard.Digest(asking),
	}
	if got := (&pending{held: held, asking: asking}).lines(); !slices.Equal(got, want) {
		t.Errorf("shows %q", got)
	}
}
