package cli

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

func TestAskingNobodyTellsWhatToAdd(t *testing.T) {
	g := &global{Streams: Streams{In: strings.NewReader("")}}
	err := g.ask(t.Context(), false, "Delete these", "--yes --digest 12ab")
	if err == nil || exitCode(err) != exitUsage || !strings.Contains(err.Error(), "add --yes --digest 12ab") {
		t.Error(err)
	}
}
