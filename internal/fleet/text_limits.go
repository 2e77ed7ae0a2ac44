package fleet

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of what is kept of a cluster's own words: status, metrics and pages
// repeat them.
const (
	// maxVersionText is for the version of an API server, in bytes.
	maxVersionText = 64
	// maxFailed is how many APIs that do not answer are named.
	maxFailed = 100
)

// versionText is an API server's version as far as it is kept.
func versionText(version string) string { return gitops.First(version, maxVersionText) }

// namesOf names the first APIs that do not answer, and counts the others: those
// that have no name of an API are among these.
func namesOf(failed map[schema.GroupVersion]error) (names []string, more int) {
	for gv := range failed {
		if gitops.CheckKind(gv.WithKind("Any")) == nil {
			names = append(names, gv.String())
		}
	}
	slices.Sort(names)
	names = slices.Clone(names[:min(len(names), maxFailed)])
	return names, len(failed) - len(names)
}
