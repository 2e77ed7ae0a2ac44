package record

import (
	"bytes"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestStagesStandBelowTheirHeadings, also those of a server of another version, which knows fewer or more of them.
func TestStagesStandBelowTheirHeadings(t *testing.T) {
	stages := func(names ...string) []api.CommitStage {
		var out []api.CommitStage
		for i, name := range names {
			out = append(out, api.CommitStage{Stage: name, Done: i + 1})
		}
		return out
	}
	cases := map[string]struct {
		reason     string
		stages     []api.CommitStage
		want, wide string
	}{
		"all":   {"as they are", stages("fetched", "rendered", "planned", "applied", "healthy"), "4 5", "1 2 3 4 5"},
		"none":  {"what is not known has a dash", nil, "- -", "- - - - -"},
		"fewer": {"one that is left out moves no other", stages("fetched", "applied"), "2 -", "1 - - 2 -"},
		"more":  {"one that nobody here knows has no column", stages("fetched", "rendered", "checked", "planned", "applied", "healthy"), "5 6", "1 2 4 5 6"},
		"order": {"they have names", stages("healthy", "applied"), "2 1", "- - - 2 1"},
	}
	for name, c := range cases {
		for output, want := range map[string]string{table.AsTable: c.want, table.AsWide: c.wide} {
			var out bytes.Buffer
			commit := api.Commit{Revision: "v1", State: "healthy", Applications: 7, Author: "ann", Subject: "Add a page", Stages: c.stages}
			if err := commitsTable([]api.Commit{commit}, output, clitest.Noon).Print(&out, live.Plain(), 0); err != nil {
				t.Fatal(err)
			}
			_, row, _ := strings.Cut(out.String(), "\n")
			if got := strings.Join(strings.Fields(row), " "); got != "v1 - healthy 7 "+want+" ann Add a page" {
				t.Errorf("%s: %s: -o %s has %s", name, c.reason, output, got)
			}
		}
	}
}

// TestCommitsTellWhereTheyFailed, whatever is known of it.
func TestCommitsTellWhereTheyFailed(t *testing.T) {
	for want, c := range map[string]api.Commit{
		"Add a page":                             {Subject: "Add a page"},
		"Add a page (shop: field is\timmutable)": {Subject: "Add a page", Failing: &api.CommitStep{Message: "field is\timmutable"}},
		"(shop: failed)":                         {Failing: &api.CommitStep{}},
		"":                                       {},
	} {
		if c.Failing != nil {
			c.Failing.Name = "shop"
		}
		row := commitRow(&c, nil, clitest.Noon)
		if got := row[len(row)-1]; got != strings.ReplaceAll(want, "\t", " ") || row[len(row)-2] != "-" {
			t.Errorf("%+v is told as %q", c, got)
		}
	}
}
