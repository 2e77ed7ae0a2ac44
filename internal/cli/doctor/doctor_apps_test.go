package doctor

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/rows"
)

func TestRepositoriesHaveANameInDoctor(t *testing.T) {
	cases := map[string]struct {
		reason    string
		view      rows.Repository
		name, fix string
	}{
		"Empty":       {"a Secret without an address", rows.Repository{Secret: "repo-1"}, "repository repo-1", "data.url of Secret repo-1"},
		"Wrong":       {"an address that makes no sense", rows.Repository{URL: "gopher://x", Secret: "repo-2"}, "repository gopher://x", "data.url of Secret repo-2"},
		"Application": {"an address that only applications have", rows.Repository{URL: "gopher://x"}, "repository gopher://x", "causeway get apps"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := checkRepository(t.Context(), &tc.view)
			if got.State != fail || got.Check != tc.name || !strings.Contains(got.Fix, tc.fix) {
				t.Errorf("%s: got %+v, want %s and %s", tc.reason, got, tc.name, tc.fix)
			}
		})
	}
}
