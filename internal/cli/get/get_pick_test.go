package get

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/rows"
)

func TestGetPicksWhatIsThereBesideWhatIsMissing(t *testing.T) {
	picked, missing := pick(applicationKind(), []rows.Row{{Name: "a"}, {Name: "shop"}}, []string{"a", "shpo", "x-y-z"})
	if len(picked) != 1 || picked[0].Name != "a" {
		t.Errorf("picked %v", picked)
	}
	if len(missing) != 2 || !strings.Contains(missing[0].Error(), `did you mean "shop"`) || !strings.Contains(missing[1].Error(), "name one of those that `causeway get apps` lists") {
		t.Errorf("missing %v", missing)
	}
}
