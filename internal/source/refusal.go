package source

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/version"
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
	case ref.TagPrefix != "" && ref.Chart == "" && version.IsRange(revision): // the newest tag of all would be another product's
		return gitops.Problemf(gitops.Invalid, "revision %q cannot be a range: tags with a prefix (tagPrefix %q) are not compared", revision, ref.TagPrefix).
			Do("name the tag itself in targetRevision, such as " + ref.TagPrefix + "1.2.3")
	}
	return nil
}
