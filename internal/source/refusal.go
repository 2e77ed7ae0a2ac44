package source

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// refuse tells why nothing is looked up for a reference, whatever a repository has.
func refuse(ref gitops.SourceRef) error {
	if err := ref.Check(); err != nil {
		return err
	}
	revision := strings.TrimSpace(ref.Revision)
	switch {
	case strings.HasPrefix(revision, "-"):
		return gitops.Problemf(gitops.Invalid, "revision %q cannot start with a dash", revision).Do("correct targetRevision")
	case strings.ContainsFunc(revision, unicode.IsControl) || !utf8.ValidString(revision):
		return gitops.Problemf(gitops.Invalid, "revision %q cannot hold control characters", revision).Do("correct targetRevision")
	}
	return nil
}
