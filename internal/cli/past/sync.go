package past

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Caused says what brought a sync about, for people.
func Caused(s *history.Sync) string {
	text := string(s.Cause)
	if s.DryRun {
		text = "dry run"
	}
	if s.By != "" {
		text += " by " + s.By
	}
	return text
}

// TraceID is as much of the ID as tells syncs apart; a server's may be shorter.
func TraceID(s *history.Sync) string { return s.ID[:min(8, len(s.ID))] }

// RevisionsOf are the commits of a sync, cut for people.
func RevisionsOf(s *history.Sync) string {
	var all []string
	for _, c := range s.Commits {
		all = append(all, gitops.ShortRevision(c.Revision))
	}
	return table.Dash(strings.Join(slices.Compact(all), ","))
}
