package bootstrap

import (
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

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
