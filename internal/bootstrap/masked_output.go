package bootstrap

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// spoken is an address in what git says: a URL, or what has a password before
// its host.
var spoken = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://\S*|[^\s/'"]+:\S*@\S*`)

// discreet is what git says, with its addresses as all of the engine shows
// them: git leaves passwords out of most of its messages, but not of all.
func discreet(text string) string { return spoken.ReplaceAllStringFunc(text, gitops.PublicAddress) }

// isAddress reports whether an annotation of a cluster has the address of a repository.
func isAddress(key string) bool { return strings.HasSuffix(key, "_repo_url") }

// Secretive are the annotations of a cluster with an address that has parts
// which may be a secret, in order.
func Secretive(annotations map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if isAddress(key) && gitops.PublicAddress(annotations[key]) != annotations[key] {
			out = append(out, key)
		}
	}
	return out
}

// public are annotations without such parts: what stood there before is not
// written again.
func public(annotations map[string]string) map[string]string {
	for _, key := range Secretive(annotations) {
		annotations[key] = gitops.PublicAddress(annotations[key])
	}
	return annotations
}
