package get

import (
	"strings"
	"testing"
)

func TestGetPicksWhatIsThereBesideWhatIsMissing(t *testing.T) {
	picked, missing := pick(applicationKind(), []item{{name: "a"}, {name: "shop"}}, []string{"a", "shpo", "x-y-z"})
	if len(picked) != 1 || picked[0].name != "a" {
		t.Errorf("picked %v", picked)
	}
	if len(missing) != 2 || !strings.Contains(missing[0].Error(), `did you mean "shop"`) || !strings.Contains(missing[1].Error(), "name one of those that `causeway get apps` lists") {
		t.Errorf("missing %v", missing)
	}
}
