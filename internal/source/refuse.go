package source

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Bounds of what a reference says, in bytes. What is longer is nothing that there
// is, and would be kept and repeated.
const (
	mostRevision = 1 << 10
	mostAddress  = 4 << 10
)

// refuse tells why nothing is looked up for a reference, whatever a repository has.
func refuse(ref gitops.SourceRef) error {
	revision := strings.TrimSpace(ref.Revision)
	switch {
	case len(ref.RepoURL) > mostAddress:
		return gitops.Problemf(gitops.Invalid, "cannot use a repository whose address has %d characters: %d is the most", len(ref.RepoURL), mostAddress).Do("correct repoURL")
	case len(ref.Chart) > address.MostChart:
		return gitops.Problemf(gitops.Invalid, "cannot use a chart whose name has %d characters: %d is the most", len(ref.Chart), address.MostChart).Do("correct chart")
	case len(revision) > mostRevision:
		return gitops.Problemf(gitops.Invalid, "cannot use a revision of %d characters: %d is the most", len(revision), mostRevision).Do("correct targetRevision")
	case strings.HasPrefix(revision, "-"):
		return gitops.Problemf(gitops.Invalid, "revision %q cannot start with a dash", revision).Do("correct targetRevision")
	case strings.ContainsFunc(revision, unicode.IsControl) || !utf8.ValidString(revision):
		return gitops.Problemf(gitops.Invalid, "revision %q cannot hold control characters", revision).Do("correct targetRevision")
	}
	return nil
}

// clipped is a text as far as it is told.
func clipped(text string) string {
	if len(text) <= mostRevision {
		return text
	}
	return strings.ToValidUTF8(text[:mostRevision], "") + "…"
}
