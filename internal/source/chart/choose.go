package chart

import "github.com/causeway-gitops/causeway/internal/source/version"

// choose gives the first of some that has the version that a revision asks for.
func choose[T any](name, revision string, all []T, versionOf func(T) string) (T, error) {
	versions := make([]string, 0, len(all))
	for _, one := range all {
		versions = append(versions, versionOf(one))
	}
	if v, ok := version.Chart(revision, versions); ok {
		for i := range all {
			if versions[i] == v {
				return all[i], nil
			}
		}
	}
	var none T
	return none, UnknownVersion(name, revision, versions)
}
